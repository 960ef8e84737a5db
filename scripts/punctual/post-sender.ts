import { PLATFORMS, type Platform } from "#core/platform.ts";
import { createSandboxUser, previewTarget, requiresMedia, type SandboxUser } from "../crash/sandbox-user.ts";
import { ApiClient } from "../crash/api-client.ts";
import { call } from "../service.ts";

const CONCURRENT_CONFIRMS = 10;
/** Platforms accept about 300 posts a day for one account, so larger bursts need several users. */
const POSTS_PER_USER = 1000;

/** Schedules texts through the API as a client would: a preview and a confirm for each. */
export class PostSender {
  /** The platforms that accept a text without media, in the order of the platform list. */
  readonly platforms: readonly Platform[];
  readonly #origin: string;
  readonly #users: readonly SandboxUser[];

  private constructor(origin: string, users: readonly [SandboxUser, ...SandboxUser[]]) {
    this.#origin = origin;
    this.#users = users;
    const [user] = users;
    this.platforms = PLATFORMS.filter((platform) => user.platforms.has(platform) && !requiresMedia(user, platform));
  }

  /** Creates as many users as `maxPosts` posts for one instant need. */
  static async create(origin: string, simulatorsOrigin: string, maxPosts: number): Promise<PostSender> {
    const client = new ApiClient(origin, simulatorsOrigin);
    const users: [SandboxUser, ...SandboxUser[]] = [await createSandboxUser(client, origin)];
    while (users.length * POSTS_PER_USER < maxPosts) {
      users.push(await createSandboxUser(client, origin));
    }
    return new PostSender(origin, users);
  }

  /** Schedules `count` texts `{prefix} 0`, `{prefix} 1`, … for one instant, in turn to each of the platforms. */
  async schedule(prefix: string, count: number, dueAt: number, platforms: readonly Platform[]): Promise<void> {
    let next = 0;
    const sendNext = async () => {
      for (let number = next++; number < count; number = next++) {
        const platform = platforms[number % platforms.length];
        if (platform !== undefined) {
          await this.#scheduleOne(userAt(this.#users, number), `${prefix} ${number}`, platform, dueAt);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_CONFIRMS }, sendNext));
  }

  async #scheduleOne(user: SandboxUser, caption: string, platform: Platform, dueAt: number): Promise<void> {
    const key = user.apiKey;
    const { confirmation_token } = await call<{ confirmation_token: string }>(
      this.#origin,
      "POST",
      "/v1/posts/preview",
      {
        key,
        body: {
          caption,
          scheduled_at: new Date(dueAt).toISOString(),
          targets: [previewTarget(user, platform)],
        },
      },
    );
    await call(this.#origin, "POST", "/v1/posts/confirm", { key, body: { confirmation_token } });
  }
}

/** The users share a burst in blocks, because neighbouring numbers go to different platforms. */
function userAt(users: readonly SandboxUser[], number: number): SandboxUser {
  const user = users[Math.floor(number / POSTS_PER_USER) % users.length];
  if (user === undefined) {
    throw new Error("there is no user to post for");
  }
  return user;
}

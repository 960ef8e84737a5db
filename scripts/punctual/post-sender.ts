import { PLATFORMS, type Platform } from "#core/platform.ts";
import { createSandboxUser, previewTarget, requiresMedia } from "../crash/sandbox-user.ts";
import { ApiClient } from "../crash/api-client.ts";
import { call } from "../service.ts";

const CONCURRENT_CONFIRMS = 10;

/** Schedules texts through the API as a client would: a preview and a confirm for each. */
export class PostSender {
  /** The platforms that accept a text without media, in the order of the platform list. */
  readonly platforms: readonly Platform[];
  readonly #origin: string;
  readonly #user: Awaited<ReturnType<typeof createSandboxUser>>;

  private constructor(origin: string, user: Awaited<ReturnType<typeof createSandboxUser>>) {
    this.#origin = origin;
    this.#user = user;
    this.platforms = PLATFORMS.filter((platform) => user.platforms.has(platform) && !requiresMedia(user, platform));
  }

  static async create(origin: string): Promise<PostSender> {
    return new PostSender(origin, await createSandboxUser(new ApiClient(origin), origin));
  }

  /** Schedules `count` texts `{prefix} 0`, `{prefix} 1`, … for one instant, in turn to each of the platforms. */
  async schedule(prefix: string, count: number, dueAt: number, platforms: readonly Platform[]): Promise<void> {
    let next = 0;
    const sendNext = async () => {
      for (let number = next++; number < count; number = next++) {
        const platform = platforms[number % platforms.length];
        if (platform !== undefined) {
          await this.#scheduleOne(`${prefix} ${number}`, platform, dueAt);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_CONFIRMS }, sendNext));
  }

  async #scheduleOne(caption: string, platform: Platform, dueAt: number): Promise<void> {
    const key = this.#user.apiKey;
    const { confirmation_token } = await call<{ confirmation_token: string }>(
      this.#origin,
      "POST",
      "/v1/posts/preview",
      {
        key,
        body: {
          caption,
          scheduled_at: new Date(dueAt).toISOString(),
          targets: [previewTarget(this.#user, platform)],
        },
      },
    );
    await call(this.#origin, "POST", "/v1/posts/confirm", { key, body: { confirmation_token } });
  }
}

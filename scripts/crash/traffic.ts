import type { Client, Outcome } from "./client.ts";
import { pause } from "./client.ts";
import type { Entry, Version } from "./ledger.ts";
import type { Random } from "./random.ts";
import { PICTURES_ONLY, targetOn, type Workplace } from "./workplace.ts";

const ok = (outcome: Outcome): boolean => outcome.answered && outcome.status === 200;

function standing(outcomes: readonly Outcome[]): Version["standing"] {
  if (outcomes.some(ok)) {
    return "confirmed";
  }
  return outcomes.some((outcome) => !outcome.answered || outcome.status >= 500) ? "maybe" : "refused";
}

/** One person: previews, confirms (sometimes three times at once), edits and cancels, mostly at the due instant. */
export class Traffic {
  readonly entries: Entry[] = [];
  readonly #client: Client;
  readonly #random: Random;
  readonly #workplace: Workplace;
  readonly #name: string;
  readonly #work = new Set<Promise<void>>();
  #count = 0;

  constructor(client: Client, random: Random, workplace: Workplace, name: string) {
    this.#client = client;
    this.#random = random;
    this.#workplace = workplace;
    this.#name = name;
  }

  /** Starts the life of one post and does not wait for it. */
  launch(): void {
    const life = this.#life().finally(() => this.#work.delete(life));
    this.#work.add(life);
  }

  get key(): string {
    return this.#workplace.key;
  }

  get busy(): number {
    return this.#work.size;
  }

  async settle(): Promise<void> {
    await Promise.all(this.#work);
  }

  #text(marker: string, version: number): string {
    const words = Array.from({ length: 4 }, () => Math.floor(this.#random.next() * 1e9).toString(36));
    return `${marker} v${version} ${words.join(" ")}`;
  }

  async #confirm(path: string, token: unknown): Promise<Outcome[]> {
    const times = this.#random.chance(0.3) ? 3 : 1;
    const body = { confirmation_token: token };
    const outcomes = await Promise.all(
      Array.from({ length: times }, () => this.#client.call("POST", path, body, this.#workplace.key)),
    );
    // A lost answer is asked for again with the same token: the token tells whether it was used.
    if (!outcomes.some(ok) && outcomes.some((outcome) => !outcome.answered)) {
      await pause(1500);
      outcomes.push(await this.#client.call("POST", path, body, this.#workplace.key));
    }
    return outcomes;
  }

  async #life(): Promise<void> {
    const random = this.#random;
    const all = [...this.#workplace.accounts.keys()];
    const chosen = new Set([random.pick(all), ...(random.chance(0.4) ? [random.pick(all)] : [])]);
    this.#count += 1;
    const marker = `${this.#name}n${this.#count}e`;
    const dueAt = Date.now() + Math.floor(random.between(2500, 9000));
    const text = this.#text(marker, 1);
    const picture = [...chosen].some((platform) => PICTURES_ONLY.has(platform)) || random.chance(0.1);
    const preview = await this.#client.call(
      "POST",
      "/v1/posts/preview",
      {
        caption: text,
        scheduled_at: new Date(dueAt).toISOString(),
        targets: [...chosen].map((platform) => targetOn(this.#workplace, platform)),
        ...(picture && { media_urls: [this.#workplace.imageUrl] }),
      },
      this.#workplace.key,
    );
    if (!preview.answered || preview.status !== 200) {
      return;
    }
    const entry: Entry = {
      marker,
      key: this.#workplace.key,
      platforms: [...chosen],
      postId: null,
      versions: [{ text, dueAt, standing: "maybe" }],
      cancel: "none",
      confirmed: 0,
    };
    this.entries.push(entry);
    await this.#finishConfirm(entry, preview.body["confirmation_token"]);
    if (entry.postId === null) {
      return;
    }
    await Promise.all([
      ...(random.chance(0.35) ? [this.#edit(entry)] : []),
      ...(random.chance(0.35) ? [this.#cancel(entry)] : []),
    ]);
  }

  async #finishConfirm(entry: Entry, token: unknown): Promise<void> {
    const outcomes = await this.#confirm("/v1/posts/confirm", token);
    entry.confirmed = outcomes.filter(ok).length;
    for (const outcome of outcomes) {
      if (outcome.answered && outcome.status === 200) {
        entry.postId ??= (outcome.body["posts"] as { id: string }[])[0]?.id ?? null;
      } else if (outcome.answered && outcome.body["code"] === "token_already_used") {
        entry.postId ??= (outcome.body["post_ids"] as string[] | undefined)?.[0] ?? null;
      }
    }
    const first = entry.versions[0];
    if (first) {
      first.standing = entry.postId === null ? standing(outcomes) : "confirmed";
    }
  }

  /** Milliseconds until an instant near the due time: 60 % within 30 ms of it, the rest before. */
  #aim(dueAt: number): number {
    const target = this.#random.chance(0.6)
      ? dueAt + this.#random.between(-30, 30)
      : dueAt - this.#random.between(300, 2000);
    return Math.max(0, target - Date.now());
  }

  async #edit(entry: Entry): Promise<void> {
    const current = entry.versions.at(-1);
    if (!current) {
      return;
    }
    const text = this.#text(entry.marker, entry.versions.length + 1);
    const later = this.#random.chance(0.4) ? Math.floor(this.#random.between(1000, 5000)) : 0;
    const dueAt = current.dueAt + later;
    const preview = await this.#client.call(
      "POST",
      "/v1/posts/edit/preview",
      { post_ids: [entry.postId], caption: text, ...(later > 0 && { scheduled_at: new Date(dueAt).toISOString() }) },
      this.#workplace.key,
    );
    if (!preview.answered || preview.status !== 200) {
      return;
    }
    await pause(this.#aim(current.dueAt));
    const version: Version = { text, dueAt, standing: "maybe" };
    entry.versions.push(version);
    const outcomes = await this.#confirm("/v1/posts/edit/confirm", preview.body["confirmation_token"]);
    const used = outcomes.some((outcome) => outcome.answered && outcome.body["code"] === "token_already_used");
    version.standing = used ? "confirmed" : standing(outcomes);
  }

  async #cancel(entry: Entry): Promise<void> {
    const current = entry.versions.at(-1);
    await pause(this.#aim(current?.dueAt ?? 0));
    entry.cancel = "maybe";
    const outcome = await this.#client.call(
      "DELETE",
      `/v1/posts/${entry.postId}`,
      { confirm: true },
      this.#workplace.key,
    );
    entry.cancel = ok(outcome) ? "confirmed" : outcome.answered && outcome.status < 500 ? "refused" : "maybe";
  }
}

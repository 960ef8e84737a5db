import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import type { Platform } from "#core/platform.ts";
import { openDb } from "#db/client.ts";
import { startReview } from "#restore/store-service.ts";
import type { Installation } from "../backup/installation.ts";
import { localDatabaseFile, openLocal } from "../backup/local.ts";
import { ApiClient } from "../crash/api-client.ts";
import { newWords, oldWords } from "../crash/lose-state.ts";
import { readPublishedPosts } from "../crash/published-posts.ts";
import { startPatiently } from "../crash/restart.ts";
import { createSandboxUser, previewTarget, rulesOf, type SandboxUser } from "../crash/sandbox-user.ts";
import { type Service, sleep } from "../service.ts";
import { keepPresent } from "./progress.ts";
import { runRestore, waitForRelease } from "./run-restore.ts";
import type { Patch } from "../source-copy.ts";

/** Nothing holds a database that is behind, and nothing else notices it. */
export const WITHOUT_GUARD: Patch = {
  name: "without-guard",
  changes: [
    { at: "no-hold-of-restored", from: "WHERE ", to: "WHERE 0 AND " },
    { at: "no-highest-mark", before: "return false;" },
  ],
};

/*
 * Puts the database of a running service back to five points in time, one after the other; the objects and the simulated platforms keep
 * their state. Either `npm run restore` does it and merges, or the drill swaps the file and the service must notice.
 */

/** `restore`: as `npm run restore`, with a swap of files as Time Travel. `file`: the file is swapped after a `kill -9`. */
export type Way = "restore" | "file";

interface Round {
  readonly name: string;
  /** When the drill saves the state that it restores later. */
  readonly savedAt: "scheduled" | "half_scheduled" | "publishing";
  /** When it restores it. */
  readonly backAt: "published" | "changed" | "publishing";
}

const ROUNDS: readonly Round[] = [
  { name: "before everything was published", savedAt: "scheduled", backAt: "published" },
  { name: "before cancels and edits of posts that are due later", savedAt: "scheduled", backAt: "changed" },
  { name: "into the middle of publishing", savedAt: "publishing", backAt: "published" },
  { name: "in the middle of publishing", savedAt: "scheduled", backAt: "publishing" },
  { name: "before half of the posts were made", savedAt: "half_scheduled", backAt: "published" },
];

const SCENARIOS = ["published", "cancelled", "edited", "ahead"] as const;
type Scenario = (typeof SCENARIOS)[number];

interface DrillPost {
  readonly id: string;
  readonly marker: string;
  readonly platform: Platform;
  readonly scenario: Scenario;
  /** It was made after the state was saved. */
  readonly isNewer: boolean;
}

export interface RoundReport {
  readonly name: string;
  readonly posts: number;
  /** How many of all posts the platforms had when the database went back. */
  readonly acceptedBefore: number;
  readonly counts: Readonly<
    Record<"doubled" | "afterCancel" | "oldWords" | "lost" | "untrue" | "sentWhileHeld", number>
  >;
  readonly seconds: number;
  /** Per scenario, number of copies and status, how many posts ended so. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

export interface DrillInput {
  readonly way: Way;
  readonly start: () => Promise<Service>;
  readonly stateDir: string;
  readonly platforms: readonly Platform[];
  /** The numbers of the points in time, from 1 to 5. */
  readonly rounds: readonly number[];
  readonly postsPerRound: number;
  readonly say: (line: string) => void;
}

const LEAD_PER_POST_MS = 900;
const LEAD_MS = 25_000;
/** Later than the restore takes, with the restarts of the service on a busy machine. */
const AHEAD_MS = 150_000;
const LATENCY_MS = 1500;
const MID_PUBLISH_MS = 900;
const CRON_EVERY_MS = 3000;
const HELD_FOR_MS = 8000;
const PLATFORMS_FINISH_MS = 5000;
/** The slowest verification after a lost run: the service believes a platform that says "processing" for ten minutes. */
const MAX_WAIT_MS = 840_000;
const PUBLISHED_WAIT_MS = 60_000;

class Drill {
  readonly #input: DrillInput;
  readonly #client: ApiClient;
  readonly #user: SandboxUser;
  #service: Service;
  readonly #saved: string;
  /** The time to schedule one post on this machine. */
  #postMs = LEAD_PER_POST_MS;

  private constructor(input: DrillInput, service: Service, client: ApiClient, user: SandboxUser) {
    this.#input = input;
    this.#service = service;
    this.#client = client;
    this.#user = user;
    this.#saved = join(input.stateDir, "saved.sqlite");
  }

  static async open(input: DrillInput): Promise<Drill> {
    const service = await startPatiently(input.start);
    const client = new ApiClient(service.origin);
    return new Drill(input, service, client, await createSandboxUser(client, service.origin, input.platforms));
  }

  async close(): Promise<void> {
    await this.#service.stop();
  }

  async cron(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#client.call("POST", "/sandbox/cron", {});
      await sleep(CRON_EVERY_MS);
    }
  }

  /** The whole state at one moment, while the service runs. */
  async #save(): Promise<void> {
    const source = new DatabaseSync(localDatabaseFile("sandbox", this.#input.stateDir), {
      readOnly: true,
      timeout: 30_000,
    });
    try {
      await rm(this.#saved, { force: true });
      await backup(source, this.#saved);
    } finally {
      source.close();
    }
  }

  async #swapFile(): Promise<void> {
    await this.#service.kill();
    const file = localDatabaseFile("sandbox", this.#input.stateDir);
    await Promise.all(["-wal", "-shm"].map((end) => rm(file + end, { force: true })));
    await copyFile(this.#saved, file);
    this.#service = await startPatiently(this.#input.start);
  }

  async #schedule(wanted: readonly Omit<DrillPost, "id">[], dueAt: number): Promise<DrillPost[]> {
    const posts: DrillPost[] = [];
    const began = Date.now();
    for (const { marker, platform, scenario, isNewer } of wanted) {
      const { media } = rulesOf(this.#user, platform);
      const file = media.text_only ? null : media.images === null ? "landscape.mp4" : "portrait.jpg";
      const { confirmation_token } = await this.#client.callUntilOk(
        "POST",
        "/v1/posts/preview",
        {
          caption: oldWords(marker),
          scheduled_at: new Date(dueAt + (scenario === "ahead" ? AHEAD_MS : 0)).toISOString(),
          targets: [previewTarget(this.#user, platform)],
          ...(file !== null && { media_urls: [`${this.#service.origin}/sandbox/media/${file}`] }),
        },
        this.#user.apiKey,
      );
      const body = await this.#client.callUntilOk(
        "POST",
        "/v1/posts/confirm",
        { confirmation_token },
        this.#user.apiKey,
      );
      const [post] = body["posts"] as { id: string }[];
      posts.push({ id: post?.id ?? "", marker, platform, scenario, isNewer });
    }
    this.#postMs = Math.max(LEAD_PER_POST_MS, (Date.now() - began) / Math.max(1, wanted.length));
    return posts;
  }

  async #change(posts: readonly DrillPost[]): Promise<void> {
    for (const { id, marker, scenario } of posts) {
      if (scenario === "cancelled") {
        await this.#client.callUntilOk("DELETE", `/v1/posts/${id}`, { confirm: true }, this.#user.apiKey);
      }
      if (scenario === "edited") {
        const { confirmation_token } = await this.#client.callUntilOk(
          "POST",
          "/v1/posts/edit/preview",
          { post_ids: [id], caption: newWords(marker) },
          this.#user.apiKey,
        );
        await this.#client.callUntilOk("POST", "/v1/posts/edit/confirm", { confirmation_token }, this.#user.apiKey);
      }
    }
  }

  async #setLatency(ms: number): Promise<void> {
    for (const platform of this.#input.platforms) {
      await this.#client.callUntilOk("POST", `/sandbox/platforms/${platform}/settings`, { latency_ms: ms });
    }
  }

  async #countAccepted(): Promise<number> {
    const published = await Promise.all(this.#input.platforms.map((platform) => this.#client.publishedPosts(platform)));
    return published.flat().length;
  }

  /** The status in the API; `gone` if the API no longer has the post. */
  async #readStatus({ id }: DrillPost): Promise<string> {
    for (;;) {
      const outcome = await this.#client.call("GET", `/v1/posts/${id}`, undefined, this.#user.apiKey);
      if (outcome.answered && outcome.status === 404) {
        return "gone";
      }
      if (outcome.answered && outcome.status === 200) {
        const { status, targets } = outcome.body["post"] as { status: string; targets: { status: string }[] };
        return status === "failed" && targets.some((target) => target.status === "unconfirmed")
          ? "unconfirmed"
          : status;
      }
      await sleep(500);
    }
  }

  async #waitUntil(posts: readonly DrillPost[], isOver: (status: string) => boolean, maxMs: number): Promise<void> {
    let open = posts;
    for (const deadline = Date.now() + maxMs; open.length > 0 && Date.now() < deadline; await sleep(1500)) {
      const statuses = await Promise.all(open.map((post) => this.#readStatus(post)));
      open = open.filter((_, index) => !isOver(statuses[index] ?? ""));
    }
  }

  /** The restore of this project; returns how many posts were accepted while it was held. */
  async #restore(): Promise<number> {
    const { stateDir } = this.#input;
    const open = () => openLocal({ environment: "sandbox", stateDir });
    let inner = await open();
    const outer: Installation = {
      get name() {
        return inner.name;
      },
      get database() {
        return inner.database;
      },
      runningVersion: () => inner.runningVersion(),
      exportDatabase: (file) => inner.exportDatabase(file),
      migrate: () => inner.migrate(),
      bookmark: async () => "saved",
      travelTo: async () => {
        await inner.close();
        await this.#swapFile();
        inner = await open();
      },
      objects: () => inner.objects(),
      readObject: (key) => inner.readObject(key),
      writeObject: (key, file, type) => inner.writeObject(key, file, type),
      close: () => inner.close(),
    };
    const root = join(stateDir, "backups");
    const startedAt = Date.now();
    try {
      await runRestore(
        { installation: outer, root, say: (line) => this.#input.say(`      ${line}`) },
        {
          installation: outer.name,
          goal: { kind: "bookmark", bookmark: "saved", at: new Date(startedAt).toISOString() },
          startedAt,
          isPresentLost: false,
          done: [],
        },
      );
      await waitForRelease(outer, MAX_WAIT_MS);
      await keepPresent(root, String(startedAt));
      return 0;
    } finally {
      await outer.close();
    }
  }

  /** Restores without this project's command, as an operator could, so the guard must notice it. */
  async #swapAndRelease(): Promise<number> {
    await this.#swapFile();
    await this.#setLatency(0);
    // Platforms finish what they had received.
    await sleep(PLATFORMS_FINISH_MS);
    const acceptedBefore = await this.#countAccepted();
    for (const deadline = Date.now() + HELD_FOR_MS; Date.now() < deadline; await sleep(1000)) {
      // Reads must not bring anything back either.
      await this.#client.callUntilOk("GET", "/v1/posts?limit=50&include_past=true", undefined, this.#user.apiKey);
    }
    const sent = (await this.#countAccepted()) - acceptedBefore;
    const installation = await openLocal({ environment: "sandbox", stateDir: this.#input.stateDir });
    try {
      await startReview(openDb(installation.database));
      await waitForRelease(installation, MAX_WAIT_MS);
    } finally {
      await installation.close();
    }
    return sent;
  }

  async run(round: Round, number: number): Promise<RoundReport> {
    const { platforms, postsPerRound, way } = this.#input;
    const began = Date.now();
    const half = round.savedAt === "half_scheduled" ? Math.ceil(postsPerRound / 2) : postsPerRound;
    const wanted = Array.from({ length: postsPerRound }, (_, at) => ({
      isNewer: at >= half,
      marker: `${way}${number}n${at}`,
      platform: platforms[at % platforms.length] ?? "x",
      scenario: SCENARIOS[Math.floor(at / platforms.length) % SCENARIOS.length] ?? "published",
    }));
    const dueAt = Date.now() + LEAD_MS + 2 * wanted.length * this.#postMs;
    const posts = await this.#schedule(wanted.slice(0, half), dueAt);
    if (round.savedAt !== "publishing") {
      await this.#save();
    }
    posts.push(...(await this.#schedule(wanted.slice(half), dueAt)));
    await this.#change(posts);
    if (round.savedAt === "publishing" || round.backAt === "publishing") {
      await this.#setLatency(LATENCY_MS);
      await sleep(Math.max(0, dueAt + MID_PUBLISH_MS - Date.now()));
    }
    if (round.savedAt === "publishing") {
      await this.#save();
      await this.#setLatency(0);
    }
    const isOver = (status: string) => !["scheduled", "publishing"].includes(status);
    if (round.backAt === "published") {
      await this.#waitUntil(
        posts.filter(({ scenario }) => scenario !== "ahead"),
        isOver,
        PUBLISHED_WAIT_MS + dueAt - Date.now(),
      );
    }
    const acceptedBefore = await this.#countAccepted();
    const sentWhileHeld = await (way === "restore" ? this.#restore() : this.#swapAndRelease());
    await this.#setLatency(0);
    await this.#waitUntil(posts, isOver, MAX_WAIT_MS);
    const seconds = Math.round((Date.now() - began) / 1000);
    return {
      name: round.name,
      posts: posts.length,
      acceptedBefore,
      seconds,
      ...(await this.#judge(posts, sentWhileHeld)),
    };
  }

  async #judge(
    posts: readonly DrillPost[],
    sentWhileHeld: number,
  ): Promise<Pick<RoundReport, "counts" | "outcomes" | "wrong">> {
    const published = await readPublishedPosts(this.#client, this.#input.platforms);
    const counts = { doubled: 0, afterCancel: 0, oldWords: 0, lost: 0, untrue: 0, sentWhileHeld };
    const outcomes = new Map<string, number>();
    const wrong: string[] = [];
    for (const post of posts) {
      const copies = published.get(`${post.platform} ${post.marker}`) ?? [];
      const status = await this.#readStatus(post);
      const name = `${post.scenario}${post.isNewer ? ", made later" : ""}: ${copies.length} on the platform, ${status}`;
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
      const hasOldWords = post.scenario === "edited" && copies.some(({ text }) => text === oldWords(post.marker));
      const found = {
        doubled: copies.length > 1,
        afterCancel: post.scenario === "cancelled" && copies.length > 0,
        oldWords: hasOldWords,
        lost: this.#isLost(post, copies.length, status),
        untrue: !this.#isTrue(post, copies.length, status),
      };
      for (const kind of ["doubled", "afterCancel", "oldWords", "lost", "untrue"] as const) {
        if (found[kind]) {
          counts[kind] += 1;
          wrong.push(`${kind}: ${post.platform} ${post.marker} (${post.id}), ${name}`);
        }
      }
    }
    return { counts, outcomes, wrong };
  }

  /** With a merge no post may be missing; without one, only posts that were not made or changed later must go out. */
  #isLost({ scenario, isNewer }: DrillPost, copies: number, status: string): boolean {
    const mustGoOut =
      scenario !== "cancelled" && (this.#input.way === "restore" || (scenario !== "edited" && !isNewer));
    return mustGoOut && copies === 0 && status !== "unconfirmed";
  }

  #isTrue({ scenario, isNewer }: DrillPost, copies: number, status: string): boolean {
    const isCancelled = status === "cancelled" && scenario === "cancelled" && copies === 0;
    if (status === "unconfirmed" || isCancelled || (status === "published" && copies === 1)) {
      return true;
    }
    if (this.#input.way === "restore") {
      return false;
    }
    // The text of the older row does not find an edited post, so the service pauses it and asks its owner to look.
    return (status === "paused" && (copies === 0 || scenario === "edited")) || (status === "gone" && isNewer);
  }
}

/** One report per point in time, on one service. */
export async function* runDrill(input: DrillInput): AsyncGenerator<RoundReport> {
  const drill = await Drill.open(input);
  const stopCron = new AbortController();
  void drill.cron(stopCron.signal);
  try {
    for (const [index, round] of ROUNDS.entries()) {
      if (input.rounds.includes(index + 1)) {
        yield await drill.run(round, index);
      }
    }
  } finally {
    stopCron.abort();
    await drill.close();
  }
}

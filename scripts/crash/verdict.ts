import type { BookEntry, Client } from "./client.ts";
import { pause } from "./client.ts";
import { type Entry, possible } from "./ledger.ts";

export interface Violation {
  readonly invariant: string;
  readonly marker: string;
  readonly what: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly posts: number;
  readonly accepted: number;
  readonly states: Readonly<Record<string, number>>;
  readonly unconfirmed: number;
  readonly lateMs: readonly number[];
}

interface TargetView {
  readonly platform: string;
  readonly status: string;
  readonly platform_post_id: string | null;
  readonly next_attempt_at: string | null;
  readonly error: { readonly code: string } | null;
}

interface PostView {
  readonly id: string;
  readonly status: string;
  readonly targets: readonly TargetView[];
}

/** An attempt is under way for this long, with its timeouts and one kill. */
const ALIVE_MS = 100_000;

const TERMINAL = new Set(["published", "partially_failed", "failed", "cancelled"]);

/** Alive: it says when it goes on and keeps to that, or something was tried a moment ago. Stuck is neither. */
async function isAlive(client: Client, entry: Entry, view: PostView): Promise<boolean> {
  const since = Date.now() - ALIVE_MS;
  if (view.targets.some(({ next_attempt_at }) => next_attempt_at !== null && Date.parse(next_attempt_at) > since)) {
    return true;
  }
  const { attempts } = await client.must("GET", `/v1/posts/${view.id}/attempts`, undefined, entry.key);
  return (attempts as { at: string }[]).some(({ at }) => Date.parse(at) > since);
}

async function readPost(client: Client, entry: Entry): Promise<PostView> {
  const { post } = await client.must("GET", `/v1/posts/${entry.postId}`, undefined, entry.key);
  return post as PostView;
}

/** Reads until every post has ended or time is up; cron runs meanwhile, as it would. */
async function settled(client: Client, entries: readonly Entry[], patienceMs: number): Promise<Map<Entry, PostView>> {
  const views = new Map<Entry, PostView>();
  const deadline = Date.now() + patienceMs;
  let open = entries.filter((entry) => entry.postId !== null);
  while (open.length > 0) {
    for (let at = 0; at < open.length; at += 20) {
      await Promise.all(
        open.slice(at, at + 20).map(async (entry) => {
          views.set(entry, await readPost(client, entry));
        }),
      );
    }
    open = open.filter((entry) => !TERMINAL.has(views.get(entry)?.status ?? ""));
    if (Date.now() > deadline) {
      break;
    }
    if (open.length > 0) {
      await client.call("POST", "/sandbox/cron", {});
      await pause(2000);
    }
  }
  return views;
}

/** What the platforms hold, by platform and marker. */
type Books = ReadonlyMap<string, readonly BookEntry[]>;

/** Reading one book a platform serves every post. */
export async function readBooks(client: Client, platforms: readonly string[]): Promise<Books> {
  const found = new Map<string, BookEntry[]>();
  for (const platform of platforms) {
    for (const entry of await client.book(platform)) {
      const key = `${platform} ${/^\S+/.exec(entry.text)?.[0] ?? ""}`;
      found.set(key, [...(found.get(key) ?? []), entry]);
    }
  }
  return found;
}

export const heldBy = (books: Books, platform: string, { marker }: Pick<Entry, "marker">): readonly BookEntry[] =>
  books.get(`${platform} ${marker}`) ?? [];

/** What no caller was promised: twice, after a cancellation, with other words, early. True at any moment of a run. */
export function brokenPromises(entry: Entry, books: Books): Violation[] {
  const violations: Violation[] = [];
  const report = (invariant: string, what: string): void => {
    violations.push({ invariant, marker: entry.marker, what });
  };
  const allowed = possible(entry);
  for (const platform of entry.platforms) {
    const onPlatform = heldBy(books, platform, entry);
    if (onPlatform.length > 1) {
      report("I1", `${platform} accepted it ${onPlatform.length} times`);
    }
    for (const one of onPlatform) {
      const at = Date.parse(one.accepted_at);
      const version = allowed.find((candidate) => candidate.text === one.text);
      if (entry.cancel === "confirmed") {
        report("I3", `${platform} published it although its cancellation was confirmed`);
      }
      if (!version) {
        report("I4", `${platform} holds a text that was not the last confirmed one`);
      } else if (at < version.dueAt) {
        report("I5", `${platform} accepted it ${version.dueAt - at} ms early`);
      }
    }
  }
  return violations;
}

/** Compares what the platforms hold with what the API says and what the callers were told. */
export async function judge(
  client: Client,
  entries: readonly Entry[],
  platforms: readonly string[],
  patienceMs: number,
): Promise<Verdict> {
  const views = await settled(client, entries, patienceMs);
  const books = await readBooks(client, platforms);
  const violations: Violation[] = [];
  const states: Record<string, number> = {};
  const lateMs: number[] = [];
  let accepted = 0;
  let unconfirmed = 0;
  for (const entry of entries) {
    const report = (invariant: string, what: string): void => {
      violations.push({ invariant, marker: entry.marker, what });
    };
    const view = views.get(entry);
    if (entry.confirmed > 1) {
      report("I7", `${entry.confirmed} confirmations of one token answered 200`);
    }
    states[view?.status ?? "never confirmed"] = (states[view?.status ?? "never confirmed"] ?? 0) + 1;
    if (view && !TERMINAL.has(view.status) && !(await isAlive(client, entry, view))) {
      const targets = view.targets.map((target) => `${target.platform} ${target.status}`).join(", ");
      report("I2", `still ${view.status} (${view.id}: ${targets})`);
    }
    if (view && view.targets.length !== entry.platforms.length) {
      report("I8", `${view.targets.length} targets instead of ${entry.platforms.length}`);
    }
    violations.push(...brokenPromises(entry, books));
    const allowed = possible(entry);
    for (const platform of entry.platforms) {
      const onPlatform = heldBy(books, platform, entry);
      accepted += onPlatform.length;
      const target = view?.targets.find((one) => one.platform === platform);
      unconfirmed += target?.status === "unconfirmed" ? 1 : 0;
      for (const one of onPlatform) {
        const version = allowed.find((candidate) => candidate.text === one.text);
        lateMs.push(...(version ? [Date.parse(one.accepted_at) - version.dueAt] : []));
      }
      if (target?.status === "published" && !onPlatform.some((one) => one.id === target.platform_post_id)) {
        report("I6", `${platform} is said to have published ${target.platform_post_id} and has not`);
      }
      if (target?.status === "failed" && onPlatform.length > 0) {
        report("I6", `${platform} is said to have failed (${target.error?.code}) and holds it`);
      }
    }
  }
  return { violations, posts: views.size, accepted, states, unconfirmed, lateMs: lateMs.toSorted((a, b) => a - b) };
}

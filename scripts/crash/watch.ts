import { type Client, pause } from "./client.ts";
import type { Traffic } from "./traffic.ts";
import { brokenPromises, readBooks, type Violation } from "./verdict.ts";
import { PLATFORMS } from "./workplace.ts";

const LOOK_EVERY_MS = 1500;
/** A post that was not armed is looked after twenty seconds after its confirmation, and cron comes every five. */
const OVERDUE_MS = 35_000;
const FORGOTTEN = "I2 still scheduled";

/** Posts that still wait although their time is long over. */
async function forgotten(client: Client, people: readonly Traffic[]): Promise<Violation[]> {
  const until = new Date(Date.now() - OVERDUE_MS).toISOString();
  const lists = await Promise.all(
    people.map(({ key }) =>
      client.must("GET", `/v1/posts?status=scheduled&include_past=true&until=${until}&limit=100`, undefined, key),
    ),
  );
  return lists
    .flatMap(({ posts }) => posts as { id: string; caption: string }[])
    .map(({ id, caption }) => ({
      invariant: "I2",
      marker: caption.split(" ")[0] ?? "",
      what: `still scheduled (${id})`,
    }));
}

/** Looks at the run while it goes on; the first violation with one of the signs, or none until the end. */
export async function watchFor(
  client: Client,
  signs: readonly RegExp[],
  people: readonly Traffic[],
  ended: () => boolean,
): Promise<Violation | undefined> {
  while (signs.length > 0 && !ended()) {
    await pause(LOOK_EVERY_MS);
    const books = await readBooks(client, PLATFORMS);
    const broken = people.flatMap(({ entries }) => entries).flatMap((entry) => brokenPromises(entry, books));
    const overdue = signs.some((sign) => sign.test(FORGOTTEN)) ? await forgotten(client, people) : [];
    const seen = [...broken, ...overdue];
    const sign = seen.find(({ invariant, what }) => signs.some((one) => one.test(`${invariant} ${what}`)));
    if (sign) {
      return sign;
    }
  }
  return undefined;
}

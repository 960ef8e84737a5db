import type { Topic } from "./attack.ts";
import type { AttackedService, AttackUser } from "./attacked-service.ts";
import { createFeed } from "./webhooks.ts";

const MIB = 1024 ** 2;
const PAGE_BYTES = 4 * MIB;
/** How many posts are read. Their texts together exceed one page, because each post contains its text twice. */
const LONG_POSTS = 40;
/**
 * How many events are read. Together they exceed one page, and each is below the 64 KiB above which a body has only
 * ids.
 */
const LONG_EVENTS = 100;
const READS_PER_MINUTE = 60;
/** How many reads are sent: more than two minutes allow, because the next minute may begin meanwhile. */
const READS = 150;

/** Enters a server on the page of a connect link. Returns the page's answer. */
async function nameServer(service: AttackedService, { key }: AttackUser, server: string) {
  const { json } = await service.prepare("POST", "/v1/accounts", { key, json: { platform: "mastodon" } });
  const link = String(json.connect_url).slice(service.origin.length);
  return await service.send("POST", link, { form: { method: "oauth", server } });
}

export default {
  topic: "answers",
  attacks: [
    {
      name: "a server that a person names answers with more than the service reads",
      async run(service, log) {
        const user = await service.createUser();
        const setTitle = (length: number | null) =>
          service.prepare("POST", "/sandbox/platforms/mastodon/settings", { json: { title_length: length } });
        for (const length of [2 * MIB, 3 * MIB, 16 * MIB]) {
          await setTitle(length);
          const answer = await nameServer(service, user, "mastodon.example");
          log.expectStatus(`${length} characters`, answer, 400);
        }
        await setTitle(null);
        log.expectStatus("the same server, as it is", await nameServer(service, user, "mastodon.example"), 303);
      },
    },
    {
      name: "a calendar is read from many addresses at once, and by whoever has the file already",
      async run(service, log) {
        const user = await service.createUser();
        const accountId = await service.connect(user, "facebook");
        await service.schedulePost(user, accountId, "a".repeat(20_000));
        const cookie = await service.signIn(user);
        const feed = await createFeed(service, user, cookie);
        const first = await service.prepare("GET", feed);
        const size = Buffer.byteLength(first.text);
        log.expect(size < 2000, "the caption is cut", `the calendar of one post has ${size} bytes`);
        const etag = String(first.headers["etag"]);
        const again = await service.send("GET", feed, { headers: { "if-none-match": etag } });
        log.expectStatus("the same file again", again, 304);
        const answers = await Promise.all(Array.from({ length: READS }, () => service.send("GET", feed)));
        const refused = answers.filter(({ status }) => status === 429).length;
        const isLimited = refused >= READS - 2 * READS_PER_MINUTE;
        log.expect(isLimited, "429", `${READS - refused} of ${READS} reads of one calendar were answered`);
      },
    },
    {
      name: "a page of posts that are as long as they may be",
      slow: true,
      async run(service, log) {
        const user = await service.createUser({ plan: "scale" });
        const accountId = await service.connect(user, "facebook");
        for (let post = 0; post < LONG_POSTS; post += 1) {
          await service.schedulePost(user, accountId, `${post} ${"a".repeat(60_000)}`);
        }
        const ids = new Set<string>();
        let pages = 0;
        for (let offset: number | null = 0; offset !== null && pages < LONG_POSTS; pages += 1) {
          const path = `/v1/posts?limit=200&offset=${offset}`;
          const { text, json } = await service.prepare("GET", path, { key: user.key });
          const size = Buffer.byteLength(text);
          log.expect(size <= PAGE_BYTES + 1000, "4 MiB", `a page of posts has ${size} bytes`);
          for (const { id } of json.posts) {
            ids.add(id);
          }
          offset = json.pagination.next_offset;
        }
        log.expect(pages > 1 && ids.size === LONG_POSTS, "all posts", `${ids.size} posts on ${pages} pages`);
      },
    },
    {
      name: "a page of events that are as long as they may be",
      slow: true,
      async run(service, log) {
        const user = await service.createUser({ plan: "scale" });
        const { key } = user;
        const cookie = await service.signIn(user);
        await service.send("POST", "/webhooks/event-log", { cookie, form: { log: "on" } });
        const accountId = await service.connect(user, "facebook");
        const id = await service.schedulePost(user, accountId, "a".repeat(27_000));
        for (let count = 1; count < LONG_EVENTS; count += 1) {
          await service.prepare("PUT", `/v1/posts/${id}/annotations`, { key, json: { notes: `${count}` } });
        }
        let events = 0;
        let pages = 0;
        for (let after: number | null = 0; after !== null && pages < LONG_EVENTS; pages += 1) {
          const { text, json } = await service.prepare("GET", `/v1/events?limit=100&after=${after}`, { key });
          const size = Buffer.byteLength(text);
          log.expect(size <= PAGE_BYTES + 1000, "4 MiB", `a page of events has ${size} bytes`);
          events += json.events.length;
          after = json.has_more === true ? json.next_after : null;
        }
        log.expect(pages > 1 && events === LONG_EVENTS, "all events", `${events} events on ${pages} pages`);
      },
    },
  ],
} satisfies Topic;

import { describe, test } from "vitest";
import { bluesky } from "#platforms/bluesky/index.ts";
import { recordKey } from "#platforms/bluesky/refs.ts";
import { scriptedClient } from "../../support/scripted-http-client.ts";
import { threadOf } from "../../support/thread-content.ts";
import { blueskyJob, DID, json, PDS, xrpcError } from "./fixture.ts";

/* A thread on Bluesky: the record of each part names the part before and the first one, each with its CID. */

const uriOf = (key: string) => `at://${DID}/app.bsky.feed.post/${key}`;
const part = (key: string) => ({ id: uriOf(key), url: null, at: 1 });
const post = blueskyJob({
  ...threadOf(["One", "Two", "Three"]),
  options: { langs: ["en"], ...threadOf(["", "Two", "Three"]).options },
});
const ROOT = { uri: uriOf("3kroot"), cid: "bafyroot" };
const record = (key: string, cid: string, value: object) =>
  json({ uri: uriOf(key), cid, value: { text: "", ...value } });

describe("the record of a part", () => {
  test("answers the part before and the first one", async ({ expect }) => {
    const second = { ...post, progress: { thread: [part("3kroot")] } };
    const client = scriptedClient(record("3kroot", ROOT.cid, {}));
    expect(await bluesky.prepare(client, second, undefined)).toMatchObject({
      state: "ready",
      ref: { record: { text: "Two", langs: ["en"], reply: { root: ROOT, parent: ROOT } } },
    });
    expect(client.requests.map(({ url }) => url.href)).toEqual([
      `${PDS}/xrpc/com.atproto.repo.getRecord?repo=${encodeURIComponent(DID)}&collection=app.bsky.feed.post&rkey=3kroot`,
    ]);
    const third = { ...post, progress: { thread: [part("3kroot"), part("3ksecond")] } };
    const answer = record("3ksecond", "bafysecond", { reply: { root: ROOT, parent: ROOT } });
    expect(await bluesky.prepare(scriptedClient(answer), third, undefined)).toMatchObject({
      ref: { record: { text: "Three", reply: { root: ROOT, parent: { uri: uriOf("3ksecond"), cid: "bafysecond" } } } },
    });
  });

  test("has a key of its own, which sorts after that of the part before", async ({ expect }) => {
    const keys = await Promise.all(
      [[], [part("1")], [part("1"), part("2")]].map((thread) => recordKey({ ...post, progress: { thread } })),
    );
    expect(new Set(keys).size).toBe(3);
    expect(keys.toSorted()).toEqual(keys);
    expect(keys[0]).toBe(await recordKey({ ...post, progress: null }));
  });

  test("is refused where the part before is deleted, and waits where the server does not answer", async ({
    expect,
  }) => {
    const second = { ...post, progress: { thread: [part("3kroot")] } };
    const gone = scriptedClient(xrpcError(400, "RecordNotFound"));
    expect(await bluesky.prepare(gone, second, undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "not_found", message: expect.stringContaining("The part before it") },
    });
    expect(await bluesky.prepare(scriptedClient(503), second, undefined)).toMatchObject({
      fault: { kind: "temporary" },
    });
    expect(await bluesky.prepare(scriptedClient({ status: 200, text: "<html>" }), second, undefined)).toMatchObject({
      fault: { kind: "temporary" },
    });
  });
});

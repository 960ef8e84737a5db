import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { callPlatform } from "./call-platform.ts";
import { changeSettings, injectFault, publishedPosts, sampleBytes } from "./sandbox-api.ts";
import {
  ada,
  APP_VIEW,
  bearer,
  ben,
  BEN_PDS,
  type BlueskyCaller,
  connectWithAppPassword,
  connectWithOauth,
  errorOf,
  serveDocuments,
  VIDEO,
  withQuery,
} from "./bluesky-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const HOUR = 3600;
const DAY = 86_400;
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const COLLECTION = "app.bsky.feed.post";
const NO_SETTINGS = Object.fromEntries(
  [
    "lenient",
    "old_limits",
    "blob_lifetime_s",
    "blob_limit_bytes",
    "hide_blob_limit",
    "appview_never",
    "appview_lag_ms",
    "calls_per_5_minutes",
    "uploads_per_day",
    "videos_per_day",
    "video_response",
    "video_failure",
    "video_refusal",
    "video_without_blob",
    "video_max_seconds",
    "video_max_bytes",
    "account_status",
    "migrated",
  ].map((name) => [name, null]),
);

let caller: BlueskyCaller;
let tids = 0;

/** A day later, so that no limit is used up. */
beforeEach(async () => {
  advanceSeconds(DAY);
  serveDocuments();
  caller = await connectWithOauth("ada");
});
afterEach(() => changeSettings("bluesky", { ...NO_SETTINGS, quota: null, processing_ms: 2000, verify_lag_ms: 0 }));

const nextTid = (): string => {
  tids += 1;
  return `3k${String(tids)
    .padStart(4, "2")
    .replaceAll(/[01890]/g, "z")}${crypto
    .randomUUID()
    .replaceAll(/[^2-7a-f]/g, "")
    .padEnd(7, "a")
    .slice(0, 7)}`;
};
const post = (overrides: object = {}): Record<string, unknown> => ({
  $type: COLLECTION,
  text: "Hello",
  createdAt: new Date().toISOString(),
  ...overrides,
});

interface Blob {
  readonly $type: string;
  readonly ref: { readonly $link: string };
  readonly mimeType: string;
  readonly size: number;
}

interface Created {
  readonly uri: string;
  readonly cid: string;
  readonly commit?: { readonly cid: string; readonly rev: string };
  readonly validationStatus?: string;
}

const upload = async (name: string, contentType: string, by = caller): Promise<Blob> =>
  (await (await by.uploadBlob(await sampleBytes(name), contentType)).json<{ blob: Blob }>()).blob;
const imagesOf = (...images: object[]): object => ({ $type: "app.bsky.embed.images", images });

describe("a created record", () => {
  test("has the given key, and is published with everything readers see", async ({ expect }) => {
    const text = "Grüße an @ben.pds.example über https://example.com #news";
    const facet = (part: string, feature: object) => {
      const byteStart = new TextEncoder().encode(text.slice(0, text.indexOf(part))).length;
      const byteEnd = byteStart + new TextEncoder().encode(part).length;
      return { index: { byteStart, byteEnd }, features: [feature] };
    };
    const facets = [
      facet("@ben.pds.example", { $type: "app.bsky.richtext.facet#mention", did: ben.did }),
      facet("https://example.com", { $type: "app.bsky.richtext.facet#link", uri: "https://example.com" }),
      facet("#news", { $type: "app.bsky.richtext.facet#tag", tag: "news" }),
    ];
    const [image, second] = [await upload("portrait.jpg", "image/jpeg"), await upload("square.png", "image/png")];
    const embed = imagesOf(
      { image, alt: "A portrait", aspectRatio: { width: 1080, height: 1350 } },
      { image: second, alt: "" },
    );
    const record = post({ text, facets, langs: ["de"], tags: ["extra"], embed });
    const rkey = nextTid();
    const response = await caller.createRecord(record, { rkey });
    expect(response.status).toBe(200);
    const created = await response.json<Created>();
    expect(created).toEqual({
      uri: `at://${ada.did}/${COLLECTION}/${rkey}`,
      cid: expect.stringMatching(/^bafyrei/) as string,
      commit: { cid: expect.any(String) as string, rev: expect.stringMatching(/^3[2-7a-z]{12}$/) as string },
      validationStatus: "valid",
    });
    expect(await (await caller.getRecord(rkey)).json()).toEqual({ uri: created.uri, cid: created.cid, value: record });
    expect((await publishedPosts("bluesky", "ada")).at(-1)).toEqual({
      id: created.uri,
      url: `https://bsky.app/profile/${ada.did}/post/${rkey}`,
      account: ada.did,
      kind: "carousel",
      text,
      title: null,
      media: [
        { type: "image", sha256: await sha256Hex(await sampleBytes("portrait.jpg")) },
        { type: "image", sha256: await sha256Hex(await sampleBytes("square.png")) },
      ],
      options: {
        facets,
        langs: ["de"],
        tags: ["extra"],
        alt_texts: ["A portrait", ""],
        aspect_ratios: [{ width: 1080, height: 1350 }, null],
      },
      accepted_at: new Date().toISOString(),
    });
  });

  test("can be a text or a link card, also with an app password", async ({ expect }) => {
    const byPassword = await connectWithAppPassword("ben");
    const thumb = await upload("square.png", "image/png", byPassword);
    const external = { uri: "https://example.com/", title: "Example", description: "", thumb };
    const created = await byPassword.createRecord(
      post({ text: "", embed: { $type: "app.bsky.embed.external", external } }),
    );
    expect(created.status).toBe(200);
    expect((await publishedPosts("bluesky", ben.did)).at(-1)).toMatchObject({
      kind: "text",
      media: [],
      options: {
        external: {
          uri: "https://example.com/",
          title: "Example",
          description: "",
          thumb_sha256: await sha256Hex(await sampleBytes("square.png")),
        },
      },
    });
    expect((await byPassword.createRecord(post())).status).toBe(200);
    expect((await publishedPosts("bluesky", "ben")).at(-1)).toMatchObject({ kind: "text", options: {} });
  });

  test("with an existing key is a bare 500, and changes nothing", async ({ expect }) => {
    const rkey = nextTid();
    const responses = await Promise.all([1, 2, 3].map(() => caller.createRecord(post(), { rkey })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 500, 500]);
    const again = await caller.createRecord(post({ text: "Other" }), { rkey });
    expect(again.status).toBe(500);
    expect(await again.json()).toEqual({ error: "InternalServerError", message: "Internal Server Error" });
    const uri = `at://${ada.did}/${COLLECTION}/${rkey}`;
    const published = (await publishedPosts("bluesky", "ada")).filter(({ id }) => id === uri);
    expect(published.map(({ text }) => text)).toEqual(["Hello"]);
  });

  test("is there after a lost answer, and absent after a lost request", async ({ expect }) => {
    const path = "/xrpc/com.atproto.repo.createRecord";
    const [kept, lost] = [nextTid(), nextTid()];
    // The first call of each pair only fetches the nonce.
    await injectFault("bluesky", { match: { path }, effect: "delay", times: 1 });
    await injectFault("bluesky", { match: { path }, effect: "drop_after" });
    await expect(caller.createRecord(post(), { rkey: kept })).rejects.toThrow("lost");
    await injectFault("bluesky", { match: { path }, effect: "delay", times: 1 });
    await injectFault("bluesky", { match: { path }, effect: "drop_before" });
    await expect(caller.createRecord(post(), { rkey: lost })).rejects.toThrow("lost");
    expect((await caller.getRecord(kept)).status).toBe(200);
    expect(await errorOf(await caller.getRecord(lost))).toBe(
      `400 RecordNotFound: Could not locate record: at://${ada.did}/${COLLECTION}/${lost}`,
    );
    expect((await caller.createRecord(post(), { rkey: kept })).status).toBe(500);
    expect((await caller.createRecord(post(), { rkey: lost })).status).toBe(200);
  });

  test.for<[what: string, body: object, error: RegExp]>([
    ["another repository", { repo: ben.did }, /^401 AuthenticationRequired/],
    ["a handle as repository", { repo: ada.handle }, /^401 AuthenticationRequired/],
    [
      "a key that is no TID",
      { rkey: "self" },
      /^400 InvalidRequest: Invalid record key for app.bsky.feed.post: "self"/,
    ],
    ["another collection", { collection: "app.bsky.feed.like" }, /^403 ScopeMissingError/],
    ["no record", { record: undefined }, /^400 InvalidRequest/],
    ["another type", { record: post({ $type: "app.bsky.feed.like" }) }, /^400 InvalidRequest: Invalid \$type/],
    ["an unknown member", { dryRun: true }, /^400 InvalidRequest: Unknown input member "dryRun"/],
    ["validate as text", { validate: "yes" }, /^400 InvalidRequest/],
  ])("is refused with %s", async ([, body, error], { expect }) => {
    const { length } = await publishedPosts("bluesky");
    expect(await errorOf(await caller.createRecord(post(), body))).toMatch(error);
    expect(await publishedPosts("bluesky")).toHaveLength(length);
  });
});

describe("the record", () => {
  const facetAt = (byteStart: number, byteEnd: number) => ({
    index: { byteStart, byteEnd },
    features: [{ $type: "app.bsky.richtext.facet#tag", tag: "a" }],
  });

  test.for<[what: string, overrides: object]>([
    ["300 graphemes", { text: "a".repeat(300) }],
    ["100 families of 18 bytes", { text: "👨‍👩‍👧".repeat(100) }],
    ["3000 bytes", { text: "👨‍👩‍👧‍👦".repeat(120) }],
    ["an offset", { createdAt: "2026-11-22T01:02:03.456+01:00" }],
    ["three languages", { langs: ["en", "pt-BR", "zh-Hant-TW"] }],
    ["eight tags", { tags: Array.from({ length: 8 }, () => "a".repeat(64)) }],
    ["facets side by side", { text: "éé", facets: [facetAt(2, 4), facetAt(0, 2)] }],
    ["types of parts", { facets: [{ $type: "app.bsky.richtext.facet", ...facetAt(0, 1) }] }],
  ])("is valid with %s", async ([, overrides], { expect }) => {
    expect((await caller.createRecord(post(overrides))).status).toBe(200);
  });

  test.for<[what: string, overrides: object, problem: string]>([
    ["no createdAt", { createdAt: undefined }, 'Missing required key "createdAt" at $.record'],
    ["no text", { text: undefined }, 'Missing required key "text" at $.record'],
    ["301 graphemes", { text: "a".repeat(301) }, "grapheme too big (maximum 300, got 301) at $.record.text"],
    ["3025 bytes", { text: "👨‍👩‍👧‍👦".repeat(121) }, "string too big (maximum 3000, got 3025) at $.record.text"],
    ["a lone surrogate", { text: "a\uD800b" }, "Invalid unicode at $.record.text"],
    ["neither text nor embed", { text: "" }, "text without embed must not be empty at $.record.text"],
    ["four languages", { langs: ["a", "b", "c", "d"] }, "array too big (maximum 3, got 4) at $.record.langs"],
    ["a language name", { langs: ["english_us"] }, 'Invalid language (got "english_us") at $.record.langs[0]'],
    ["nine tags", { tags: Array.from({ length: 9 }, () => "a") }, "array too big (maximum 8, got 9) at $.record.tags"],
    ["a long tag", { tags: ["a".repeat(65)] }, "grapheme too big (maximum 64, got 65) at $.record.tags[0]"],
    ["a post it answers", { reply: {} }, 'Missing required key "root" at $.record.reply'],
    ["an empty slice", { facets: [facetAt(1, 1)] }, "Invalid byte slice at $.record.facets[0].index"],
    ["a slice behind the text", { facets: [facetAt(0, 6)] }, "Invalid byte slice at $.record.facets[0].index"],
    [
      "a slice inside a letter",
      { text: "é", facets: [facetAt(0, 1)] },
      "Byte slice inside a UTF-8 sequence at $.record.facets[0].index",
    ],
    [
      "overlapping slices",
      { facets: [facetAt(0, 3), facetAt(2, 4)] },
      "Overlapping byte slice at $.record.facets[1].index",
    ],
    [
      "a facet without features",
      { facets: [{ ...facetAt(0, 1), features: [] }] },
      "array too small (minimum 1, got 0) at $.record.facets[0].features",
    ],
    [
      "a relative link",
      { facets: [{ ...facetAt(0, 1), features: [{ $type: "app.bsky.richtext.facet#link", uri: "example.com" }] }] },
      'Invalid uri (got "example.com") at $.record.facets[0].features[0].uri',
    ],
    [
      "a mention of a handle",
      { facets: [{ ...facetAt(0, 1), features: [{ $type: "app.bsky.richtext.facet#mention", did: "ada" }] }] },
      'Invalid did (got "ada") at $.record.facets[0].features[0].did',
    ],
    ["no images", { embed: imagesOf() }, "array too small (minimum 1, got 0) at $.record.embed.images"],
    [
      "a card without a title",
      { embed: { $type: "app.bsky.embed.external", external: { uri: "https://example.com", description: "" } } },
      'Missing required key "title" at $.record.embed.external',
    ],
    ["an embed without type", { embed: { images: [] } }, 'Missing required key "$type" at $.record.embed'],
  ])("is refused with %s", async ([, overrides, problem], { expect }) => {
    expect(await errorOf(await caller.createRecord(post(overrides)))).toBe(
      `400 InvalidRequest: Invalid app.bsky.feed.post record: ${problem}`,
    );
  });

  test.for([
    "2026-11-22",
    "2026-11-22T01:02Z",
    "2026-11-22T01:02:03",
    "2026-11-22T01:02:03-00:00",
    "2026-11-22 01:02:03Z",
    "2026-02-30T01:02:03Z",
    `2026-11-22T01:02:03.${"1".repeat(50)}Z`,
  ])("is not created at %s", async (createdAt, { expect }) => {
    expect(await errorOf(await caller.createRecord(post({ createdAt })))).toMatch(
      /: Invalid datetime .* at \$\.record/,
    );
  });

  test("the settings allow what a real PDS stores", async ({ expect }) => {
    const facets = [facetAt(0, 3), facetAt(2, 9)];
    const embed = { $type: "app.bsky.embed.record", record: { uri: "at://x", cid: "y" } };
    await changeSettings("bluesky", { lenient: "facets,unknown_fields,empty_text,unknown_parameters" });
    for (const overrides of [{ facets }, { mood: "fine" }, { embed }, { text: "" }]) {
      expect((await caller.createRecord(post(overrides))).status).toBe(200);
    }
    expect((await caller.createRecord(post(), { dryRun: true })).status).toBe(200);
    await changeSettings("bluesky", { lenient: null });
    expect((await caller.createRecord(post({ mood: "fine" }), { validate: false })).status).toBe(200);
  });
});

describe("a reply", () => {
  const create = async (overrides: object = {}) => {
    const response = await caller.createRecord(post(overrides));
    return response.status === 200 ? await response.json<Created>() : await errorOf(response);
  };
  const created = async (overrides: object = {}): Promise<{ uri: string; cid: string }> => {
    const { uri, cid } = (await create(overrides)) as Created;
    return { uri, cid };
  };

  test("names its parent and the root of the whole thread, each with its CID", async ({ expect }) => {
    const root = await created({ text: "Root" });
    const second = await created({ text: "Second", reply: { root, parent: root } });
    const third = await created({ text: "Third", reply: { root, parent: second } });
    const published = (await publishedPosts("bluesky", "ada")).slice(-3);
    expect(published.map(({ id, options }) => [id, (options as { reply?: unknown }).reply])).toEqual([
      [root.uri, undefined],
      [second.uri, { root: root.uri, parent: root.uri }],
      [third.uri, { root: root.uri, parent: second.uri }],
    ]);
  });

  test("to a missing post, with another CID or another root is refused unless the setting allows it", async ({
    expect,
  }) => {
    const root = await created({ text: "Root" });
    const other = await created({ text: "Other" });
    const second = await created({ text: "Second", reply: { root, parent: root } });
    const missing = { ...root, uri: root.uri.replace(/.{13}$/, nextTid()) };
    const wrong: readonly [object, string][] = [
      [{ root, parent: missing }, "no such post at $.record.reply.parent"],
      [{ root, parent: { ...root, cid: other.cid } }, "no such post at $.record.reply.parent"],
      [{ root: second, parent: second }, "not the root of the parent at $.record.reply.root"],
      [{ root: other, parent: second }, "not the root of the parent at $.record.reply.root"],
      [{ root: { ...root, cid: other.cid }, parent: second }, "not the root of the parent at $.record.reply.root"],
      [{ parent: root }, 'Missing required key "root" at $.record.reply'],
      [{ root: { uri: "x", cid: root.cid }, parent: root }, "Invalid at-uri"],
      [{ root: { uri: root.uri, cid: "x" }, parent: root }, "Invalid cid"],
    ];
    for (const [reply, problem] of wrong) {
      expect(await create({ reply }), problem).toContain(
        `400 InvalidRequest: Invalid ${COLLECTION} record: ${problem}`,
      );
    }
    await changeSettings("bluesky", { lenient: "reply_references" });
    expect(await create({ reply: { root, parent: missing } })).toMatchObject({ uri: expect.any(String) as string });
  });
});

describe("a blob", () => {
  test("has the type of its bytes and the same CID each time", async ({ expect }) => {
    const first = await upload("square.png", "image/jpeg");
    expect(first).toEqual({
      $type: "blob",
      ref: { $link: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/) as string },
      mimeType: "image/png",
      size: (await sampleBytes("square.png")).length,
    });
    expect(await upload("square.png", "image/png")).toEqual(first);
  });

  test("that is no media is no image; the setting `lenient` believes the header", async ({ expect }) => {
    const page = await upload("page.jpg", "image/jpeg");
    expect(page.mimeType).toBe("application/octet-stream");
    expect(await errorOf(await caller.createRecord(post({ embed: imagesOf({ image: page, alt: "" }) })))).toMatch(
      /mime type not accepted .* at \$\.record\.embed\.images\[0\]\.image$/,
    );
    await changeSettings("bluesky", { lenient: "unknown_bytes" });
    expect((await upload("page.jpg", "image/jpeg")).mimeType).toBe("image/jpeg");
  });

  test("needs Content-Type and Content-Length, and a scope for its type", async ({ expect }) => {
    const byPassword = await connectWithAppPassword("ada");
    const url = `${byPassword.pds}/xrpc/com.atproto.repo.uploadBlob`;
    const stream = new Response("abc").body!.pipeThrough(new TransformStream());
    const body = new Uint8Array(3);
    for (const init of [
      { method: "POST", body },
      { method: "POST", headers: { "content-type": "image/png" } },
      { method: "POST", headers: { "content-type": "image/png" }, body: stream },
    ]) {
      expect(await errorOf(await byPassword.call(url, init))).toMatch(/^400 InvalidRequest: Request (?:enc|len)/);
    }
    expect(await errorOf(await caller.uploadBlob(body, "text/vtt"))).toBe(
      '403 ScopeMissingError: Missing required scope "blob:text/vtt"',
    );
    expect(await errorOf(await byPassword.call(`${url}?name=a`, { method: "POST", body }))).toMatch(
      /Unknown parameter/,
    );
    expect((await byPassword.uploadBlob(body, "text/vtt")).status).toBe(200);
  });

  test("is at most as large as the server says", async ({ expect }) => {
    const limit = async () =>
      (await (await caller.query("com.atproto.server.describeServer")).json<{ blobUploadLimit?: number }>())
        .blobUploadLimit;
    expect(await limit()).toBe(52_428_800);
    await changeSettings("bluesky", { blob_limit_bytes: 100 });
    expect(await limit()).toBe(100);
    expect(await errorOf(await caller.uploadBlob(new Uint8Array(101), "image/png"))).toBe(
      "413 PayloadTooLarge: request entity too large",
    );
    await changeSettings("bluesky", { hide_blob_limit: true });
    expect(await limit()).toBeUndefined();
  });

  test("belongs to its account, is named exactly, and goes after an hour", async ({ expect }) => {
    const image = await upload("landscape.webp", "image/webp");
    const create = async (overrides: object, by = caller) =>
      errorOf(await by.createRecord(post({ embed: imagesOf({ image: { ...image, ...overrides }, alt: "" }) })));
    const other = await connectWithAppPassword("ben");
    expect(await create({}, other)).toBe(`400 BlobNotFound: Could not find blob: ${image.ref.$link}`);
    expect(await create({ mimeType: "image/png" })).toMatch(/^400 InvalidMimeType/);
    expect(await create({ size: 5 })).toMatch(/^400 InvalidSize/);
    expect(await create({ extra: true })).toMatch(/Expected blob value type at \$\.record\.embed\.images\[0\]\.image$/);
    expect(await create({ size: 2_000_001 })).toMatch(
      /: blob too big \(maximum 2000000, got 2000001\) at \$\.record\.embed/,
    );
    await changeSettings("bluesky", { old_limits: true });
    expect(await create({ size: 1_000_001 })).toMatch(/: blob too big \(maximum 1000000, got 1000001\)/);
    advanceSeconds(HOUR);
    caller = await connectWithOauth("ada");
    expect(await create({})).toMatch(/^400 BlobNotFound/);
    await upload("landscape.webp", "image/webp");
    expect(await create({})).toMatch(/^200/);
    advanceSeconds(DAY);
    caller = await connectWithOauth("ada");
    expect(await create({})).toMatch(/^200/);
    await upload("animation.gif", "image/gif");
    await changeSettings("bluesky", { blob_lifetime_s: 60 });
    const gif = await upload("animation.gif", "image/gif");
    advanceSeconds(60);
    expect(await errorOf(await caller.createRecord(post({ embed: imagesOf({ image: gif, alt: "" }) })))).toMatch(
      /^400 BlobNotFound/,
    );
  });

  test("five images are too many", async ({ expect }) => {
    const image = { image: await upload("square.png", "image/png"), alt: "" };
    const response = await caller.createRecord(post({ embed: imagesOf(image, image, image, image, image) }));
    expect(await errorOf(response)).toMatch(/: array too big \(maximum 4, got 5\) at \$\.record\.embed\.images$/);
  });
});

describe("putRecord, deleteRecord and listRecords", () => {
  const put = (by: BlueskyCaller, rkey: string, record: object, more: object = {}) =>
    by.post("com.atproto.repo.putRecord", { repo: by.did, collection: COLLECTION, rkey, record, ...more });

  test("putting the same record again makes no commit; other content needs no permission to overwrite", async ({
    expect,
  }) => {
    const by = await connectWithAppPassword("ada");
    const [rkey, record] = [nextTid(), post()];
    const first = await (await put(by, rkey, record)).json<Created>();
    expect(first.commit).toBeDefined();
    const again = await put(by, rkey, record, { swapRecord: null });
    expect([again.status, await again.json()]).toEqual([
      200,
      { uri: first.uri, cid: first.cid, validationStatus: "valid" },
    ]);
    expect(await errorOf(await put(by, rkey, post({ text: "Other" }), { swapRecord: null }))).toBe(
      `400 InvalidSwap: Record was at ${first.cid}`,
    );
    expect((await put(by, rkey, post({ text: "Other" }))).status).toBe(200);
    expect(await (await by.getRecord(rkey)).json()).toMatchObject({ value: { text: "Other" } });
  });

  test("needs the right to create and to update", async ({ expect }) => {
    expect(await errorOf(await put(caller, nextTid(), post()))).toBe(
      '403 ScopeMissingError: Missing required scope "repo:app.bsky.feed.post?action=update"',
    );
    const scope = "atproto repo:app.bsky.feed.post?action=create repo:app.bsky.feed.post?action=update";
    const updater = await connectWithOauth("ada", scope);
    expect((await put(updater, nextTid(), post())).status).toBe(200);
    expect(await errorOf(await updater.uploadBlob(new Uint8Array(1), "image/png"))).toMatch(/^403 ScopeMissingError/);
    const generic = await connectWithOauth("ada", "atproto transition:generic");
    expect((await put(generic, nextTid(), post())).status).toBe(200);
    const reader = await connectWithOauth("ada", "atproto");
    expect(await errorOf(await reader.createRecord(post()))).toBe(
      '403 ScopeMissingError: Missing required scope "repo:app.bsky.feed.post?action=create"',
    );
  });

  test("a deleted record is absent; deleting it twice succeeds", async ({ expect }) => {
    const by = await connectWithAppPassword("ada");
    const rkey = nextTid();
    await by.createRecord(post(), { rkey });
    const remove = () => by.post("com.atproto.repo.deleteRecord", { repo: by.did, collection: COLLECTION, rkey });
    expect(await (await remove()).json()).toHaveProperty("commit");
    expect(await (await remove()).json()).toEqual({});
    expect(await errorOf(await by.getRecord(rkey))).toMatch(/^400 RecordNotFound/);
  });

  test("records are listed newest key first, in pages", async ({ expect }) => {
    const by = await connectWithAppPassword("ben");
    for (const text of ["one", "two", "three"]) {
      await by.createRecord(post({ text }));
    }
    const list = async (params: Record<string, string>) =>
      (await by.query("com.atproto.repo.listRecords", { repo: ben.did, collection: COLLECTION, ...params })).json<{
        records: { value: { text: string } }[];
        cursor?: string;
      }>();
    const page = await list({ limit: "2" });
    expect(page.records.map(({ value }) => value.text)).toEqual(["three", "two"]);
    expect((await list({ limit: "1", cursor: page.cursor ?? "" })).records[0]?.value.text).toBe("one");
    expect(await list({ limit: "101" })).toMatchObject({ error: "InvalidRequest" });
  });
});

describe("reading", () => {
  const inApp = async (uri: string): Promise<number> => {
    const response = await callPlatform(withQuery(`${APP_VIEW}/xrpc/app.bsky.feed.getPosts`, { uris: uri }));
    return (await response.json<{ posts: unknown[] }>()).posts.length;
  };

  test("the PDS knows a record at once; the app, and other servers, three seconds later or never", async ({
    expect,
  }) => {
    const rkey = nextTid();
    const { uri } = await (await caller.createRecord(post(), { rkey })).json<Created>();
    const elsewhere = () =>
      callPlatform(
        withQuery(`${BEN_PDS}/xrpc/com.atproto.repo.getRecord`, { repo: ada.did, collection: COLLECTION, rkey }),
      );
    expect((await caller.getRecord(rkey)).status).toBe(200);
    expect([await inApp(uri), await errorOf(await elsewhere())]).toEqual([
      0,
      `400 RecordNotFound: Could not locate record: ${uri}`,
    ]);
    advanceSeconds(3);
    expect([await inApp(uri), (await elsewhere()).status]).toEqual([1, 200]);
    await changeSettings("bluesky", { appview_never: true });
    expect(await inApp(uri)).toBe(0);
    await changeSettings("bluesky", { appview_never: null, appview_lag_ms: 60_000 });
    expect(await inApp(uri)).toBe(0);
  });

  test.for<[account_status: string | null, answer: string]>([
    [null, "200 undefined: undefined"],
    ["takendown", "400 AccountTakedown: Account has been suspended"],
    ["deactivated", "400 AccountDeactivated: Account is deactivated"],
  ])("the profile of an account that is %s", async ([account_status, answer], { expect }) => {
    await changeSettings("bluesky", { account_status });
    const url = `${APP_VIEW}/xrpc/app.bsky.actor.getProfile?actor=${ada.did}`;
    expect(await errorOf(await callPlatform(url))).toBe(answer);
  });

  test("an account that moved is deactivated on its old server", async ({ expect }) => {
    await changeSettings("bluesky", { migrated: "ada" });
    expect(await errorOf(await caller.createRecord(post()))).toMatch(/^401 AccountDeactivated/);
    const status = await caller.query("com.atproto.sync.getRepoStatus", { did: ada.did });
    expect(await status.json()).toMatchObject({ active: false });
  });
});

describe("XRPC", () => {
  test("refuses unknown methods, verbs, fields and encodings", async ({ expect }) => {
    const by = await connectWithAppPassword("ada");
    const create = `${by.pds}/xrpc/com.atproto.repo.createRecord`;
    const body = JSON.stringify({ repo: ada.did, collection: COLLECTION, record: post() });
    const answers = [
      await by.query("com.atproto.repo.nothing"),
      await by.query("com.atproto.repo.createRecord"),
      await by.call(create, { method: "POST", body: new TextEncoder().encode(body) }),
      await by.call(create, { method: "POST", body, headers: { "content-type": "text/plain" } }),
      await by.call(create, { method: "POST", body: "{", headers: { "content-type": "application/json" } }),
      await by.call(create, { method: "POST", body: "[]", headers: { "content-type": "application/json" } }),
      await by.call(create, {
        method: "POST",
        body: `"${"a".repeat(1_000_000)}"`,
        headers: { "content-type": "application/json" },
      }),
      await by.query("com.atproto.repo.getRecord", { repo: ada.did, collection: COLLECTION }),
      await by.query("com.atproto.server.getSession", { verbose: "true" }),
      await by.query("app.bsky.video.getJobStatus", { jobId: "1" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([501, 405, 400, 400, 400, 400, 413, 400, 400, 501]);
  });

  test("shows the tightest limit, and refuses beyond it with Retry-After", async ({ expect }) => {
    const first = await caller.createRecord(post());
    expect(first.headers.get("ratelimit-policy")).toBe("3000;w=300");
    await changeSettings("bluesky", { quota: 3 });
    const second = await caller.createRecord(post());
    expect(second.headers.get("ratelimit-policy")).toBe("9;w=86400");
    expect(second.headers.get("ratelimit-remaining")).toBe("3");
    expect((await caller.createRecord(post())).status).toBe(200);
    const refused = await caller.createRecord(post());
    expect(await errorOf(refused)).toBe("429 RateLimitExceeded: Rate Limit Exceeded");
    expect(Number(refused.headers.get("retry-after"))).toBe(DAY);
    expect(Number(refused.headers.get("ratelimit-reset"))).toBe(Math.ceil(Date.now() / 1000) + DAY);
    await changeSettings("bluesky", { uploads_per_day: 1 });
    expect((await caller.uploadBlob(new Uint8Array(1), "image/png")).status).toBe(200);
    expect((await caller.uploadBlob(new Uint8Array(1), "image/png")).status).toBe(429);
    await changeSettings("bluesky", { calls_per_5_minutes: 1 });
    expect((await caller.query("com.atproto.server.describeServer")).status).toBe(429);
  });
});

describe("the video service", () => {
  const UPLOAD = "com.atproto.repo.uploadBlob";
  const LIMITS = "app.bsky.video.getUploadLimits";
  const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);
  const serviceAuth = async (params: Record<string, string>, by = caller): Promise<string> =>
    (await (await by.query("com.atproto.server.getServiceAuth", params)).json<{ token: string }>()).token;
  const uploadToken = (exp = inSeconds(1800)) => serviceAuth({ aud: ada.pds.did, lxm: UPLOAD, exp });
  const jobStatus = async (jobId: string) =>
    (
      await (
        await callPlatform(`${VIDEO}/xrpc/app.bsky.video.getJobStatus?jobId=${jobId}`)
      ).json<{
        jobStatus: { state: string; blob?: Blob; failureCode?: string };
      }>()
    ).jobStatus;

  /** The file differs each time, so that no upload is known already. */
  const freshVideo = async (): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = await sampleBytes("portrait.mp4");
    const random = new TextEncoder().encode(crypto.randomUUID());
    return Uint8Array.from([...bytes, ...random]);
  };

  async function uploadVideo(token: string, bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
    const url = withQuery(`${VIDEO}/xrpc/app.bsky.video.uploadVideo`, { did: ada.did, name: "a.mp4" });
    return callPlatform(url, {
      method: "POST",
      headers: {
        ...bearer(token),
        "content-type": "video/mp4",
        "content-length": String(bytes.byteLength),
        ...headers,
      },
      body: bytes,
    });
  }

  const startJob = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
    (await (await uploadVideo(await uploadToken(), bytes)).json<{ jobId: string }>()).jobId;

  test("processes a video and stores it on the PDS", async ({ expect }) => {
    const bytes = await freshVideo();
    const response = await uploadVideo(await uploadToken(), bytes);
    expect(response.status).toBe(200);
    const job = await response.json<{ jobId: string; did: string; state: string }>();
    expect(job).toEqual({ jobId: expect.any(String) as string, did: ada.did, state: "JOB_STATE_CREATED" });
    expect(await jobStatus(job.jobId)).toMatchObject({ state: "JOB_STATE_ENCODING" });
    advanceSeconds(1);
    expect(await jobStatus(job.jobId)).toMatchObject({ state: "JOB_STATE_SCANNING", progress: 50 });
    advanceSeconds(1);
    const { state, blob } = await jobStatus(job.jobId);
    expect([state, blob?.mimeType, blob?.size]).toEqual(["JOB_STATE_COMPLETED", "video/mp4", bytes.length]);
    const embed = {
      $type: "app.bsky.embed.video",
      video: blob,
      alt: "A clip",
      aspectRatio: { width: 540, height: 960 },
    };
    expect((await caller.createRecord(post({ embed }))).status).toBe(200);
    expect((await publishedPosts("bluesky", "ada")).at(-1)).toMatchObject({
      kind: "video",
      media: [{ type: "video", sha256: await sha256Hex(bytes) }],
      options: { alt_texts: ["A clip"], aspect_ratios: [{ width: 540, height: 960 }] },
    });
    const again = await uploadVideo(await uploadToken(), bytes);
    expect(await again.json()).toMatchObject({
      error: "already_exists",
      jobId: job.jobId,
      state: "JOB_STATE_COMPLETED",
    });
  });

  test("answers bare or, with the setting, inside `jobStatus`", async ({ expect }) => {
    await changeSettings("bluesky", { video_response: "wrapped" });
    const response = await uploadVideo(await uploadToken(), await freshVideo());
    expect(await response.json()).toMatchObject({ jobStatus: { state: "JOB_STATE_CREATED" } });
  });

  test.for([
    "validation_failure",
    "encoding_failure",
    "pds_upload_failure",
    "pds_upload_unsupported_blob_size",
    "generic_failure",
  ])("a job fails with %s", async (video_failure, { expect }) => {
    await changeSettings("bluesky", { video_failure, processing_ms: 0 });
    const job = await jobStatus(await startJob(await freshVideo()));
    expect(job).toMatchObject({ state: "JOB_STATE_FAILED", failureCode: video_failure });
    expect(job).not.toHaveProperty("blob");
  });

  test("a job fails for no video, a long one, an expired token, and a small PDS limit", async ({ expect }) => {
    await changeSettings("bluesky", { processing_ms: 0 });
    const failureOf = async (bytes: Uint8Array<ArrayBuffer>) => (await jobStatus(await startJob(bytes))).failureCode;
    expect(await failureOf(await sampleBytes("portrait.jpg"))).toBe("validation_failure");
    await changeSettings("bluesky", { video_max_seconds: 2 });
    expect(await failureOf(await freshVideo())).toBe("validation_failure");
    await changeSettings("bluesky", { video_max_seconds: null, blob_limit_bytes: 1000 });
    expect(await failureOf(await freshVideo())).toBe("pds_upload_unsupported_blob_size");
    await changeSettings("bluesky", { blob_limit_bytes: null, processing_ms: 60_000 });
    const job = await uploadVideo(await uploadToken(inSeconds(30)), await freshVideo());
    const { jobId } = await job.json<{ jobId: string }>();
    advanceSeconds(60);
    expect(await jobStatus(jobId)).toMatchObject({ failureCode: "pds_upload_failure" });
  });

  test("a completed job may lack its blob once", async ({ expect }) => {
    await changeSettings("bluesky", { video_without_blob: true, processing_ms: 0 });
    const jobId = await startJob(await freshVideo());
    expect(await jobStatus(jobId)).toEqual({ jobId, did: ada.did, state: "JOB_STATE_COMPLETED", progress: 100 });
    expect(await jobStatus(jobId)).toHaveProperty("blob");
  });

  test("tells what is left, and refuses more", async ({ expect }) => {
    const limits = async () => {
      const token = await serviceAuth({ aud: "did:web:video.bsky.app", lxm: LIMITS });
      return callPlatform(`${VIDEO}/xrpc/${LIMITS}`, { headers: bearer(token) });
    };
    expect(await (await limits()).json()).toMatchObject({ canUpload: true, remainingDailyVideos: 25 });
    await changeSettings("bluesky", { videos_per_day: 1 });
    await startJob(await freshVideo());
    expect(await (await limits()).json()).toMatchObject({ canUpload: false, remainingDailyVideos: 0 });
    const refused = await uploadVideo(await uploadToken(), await freshVideo());
    expect(await refused.json()).toMatchObject({
      jobId: "",
      message: "User has exceeded daily upload videos limit",
    });
    await changeSettings("bluesky", { videos_per_day: null, video_refusal: "unconfirmed_email" });
    expect(await (await limits()).json()).toMatchObject({ canUpload: false, error: "unconfirmed_email" });
    const unconfirmed = await uploadVideo(await uploadToken(), await freshVideo());
    expect(await unconfirmed.json()).toMatchObject({ jobId: "", error: "unconfirmed_email" });
    await changeSettings("bluesky", { video_refusal: "profile_not_found" });
    expect(await errorOf(await limits())).toMatch(/^401 profile_not_found/);
  });

  test("accepts a token for uploads to the own PDS only, and a video that is not too large", async ({ expect }) => {
    const bytes = await freshVideo();
    const statuses: number[] = [];
    for (const token of [
      await serviceAuth({ aud: "did:web:bsky.social", lxm: UPLOAD }),
      await serviceAuth({ aud: ada.pds.did, lxm: LIMITS }),
      "a.b.c",
    ]) {
      statuses.push((await uploadVideo(token, bytes)).status);
    }
    const expired = await uploadToken(inSeconds(10));
    advanceSeconds(10);
    statuses.push((await uploadVideo(expired, bytes)).status);
    statuses.push((await uploadVideo(await uploadToken(), bytes, { "content-type": "video/quicktime" })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 400]);
    await changeSettings("bluesky", { video_max_bytes: 1000 });
    expect(await (await uploadVideo(await uploadToken(), bytes)).json()).toMatchObject({
      jobId: "",
      message: `file size (${bytes.length} bytes) is larger than the maximum allowed size (1000 bytes)`,
    });
  });

  test.for<[what: string, params: () => Record<string, string>, error: RegExp]>([
    ["more than an hour ahead", () => ({ lxm: UPLOAD, exp: inSeconds(HOUR + 1) }), /^400 BadExpiration/],
    ["in the past", () => ({ lxm: UPLOAD, exp: inSeconds(-1) }), /^400 BadExpiration/],
    ["that is no integer", () => ({ lxm: UPLOAD, exp: `${inSeconds(60)}.5` }), /^400 InvalidRequest/],
  ])("no service token has an expiration %s", async ([, params, error], { expect }) => {
    const query = { aud: ada.pds.did, ...params() };
    expect(await errorOf(await caller.query("com.atproto.server.getServiceAuth", query))).toMatch(error);
  });

  test("a service token needs a permission for its method, and a method for more than a minute", async ({ expect }) => {
    const ask = async (params: Record<string, string>, by = caller) =>
      errorOf(await by.query("com.atproto.server.getServiceAuth", params));
    expect(await ask({ aud: ada.pds.did, lxm: "app.bsky.feed.getTimeline" })).toMatch(/^403 ScopeMissingError/);
    expect(await ask({ aud: "shimeji", lxm: UPLOAD })).toMatch(/^400 InvalidRequest/);
    const byPassword = await connectWithAppPassword("ada");
    expect(await ask({ aud: ada.pds.did, exp: inSeconds(61) }, byPassword)).toMatch(/^400 BadExpiration/);
    expect(await ask({ aud: ada.pds.did, exp: inSeconds(60) }, byPassword)).toMatch(/^200/);
  });
});

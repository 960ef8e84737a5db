import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import type { Job, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { x } from "#platforms/x/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, image, job, NOW, video } from "../../support/adapter-inputs.ts";
import { captureBodies, type BodyCapturingClient } from "../../support/capture-adapter-bodies.ts";

const MIB = 1024 ** 2;
const json = (value: JsonValue | PrepareOutcome) => JSON.parse(JSON.stringify(value)) as JsonValue;
const uploadResponse = (id: string, overrides: object = {}): ScriptedResponse => ({
  json: { data: { id, media_key: `7_${id}`, expires_after_secs: 86_400, ...overrides } },
});

/** Parses the forms that were sent to paths with this suffix, as the platform does. */
function parseSentForms({ requests, bodies }: BodyCapturingClient, pathSuffix: string): Promise<FormData[]> {
  const forms = requests.flatMap(({ url, headers }, index) =>
    url.pathname.endsWith(pathSuffix) ? [new Response(bodies[index], { headers: [...headers] }).formData()] : [],
  );
  return Promise.all(forms);
}

const created: ScriptedResponse = { status: 201, json: { data: { id: "1900000000000000099", text: "t" } } };
const refusal = (status: number, detail: string): ScriptedResponse => ({
  status,
  json: { title: "t", detail, type: "about:blank", status },
});
const accountWithSettings = (settings: Record<string, string>) =>
  accountAccess({ app: { clientId: "c", clientSecret: "s", settings } });

async function prepareRef(post: Job, client: PlatformClient = scriptedClient(uploadResponse("1"))): Promise<JsonValue> {
  const outcome = await x.prepare(client, post, undefined);
  if (outcome.state !== "ready") {
    throw new Error(`prepare did not finish: ${JSON.stringify(outcome)}`);
  }
  return json(outcome.ref);
}

describe("prepare", () => {
  test("a text-only post needs no call", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await x.prepare(client, job(), undefined)).toMatchObject({
      state: "ready",
      ref: { mediaIds: [], quote: "none" },
    });
    expect(client.requests).toHaveLength(0);
  });

  test("images are uploaded whole and keep their order", async ({ expect }) => {
    const client = captureBodies(scriptedClient(uploadResponse("1"), uploadResponse("2")));
    const outcome = await x.prepare(client, job({ media: [image(), image({ contentType: "image/png" })] }), undefined);
    expect(outcome).toMatchObject({
      state: "ready",
      ref: { mediaIds: ["1", "2"], mediaKeys: ["7_1", "7_2"] },
      expiresAt: NOW + 86_400_000,
    });
    expect(client.requests.map((sent) => `${sent.method} ${sent.url.href}`)).toEqual(
      Array(2).fill("POST https://api.x.com/2/media/upload"),
    );
    expect(client.requests[1]?.headers.get("content-length")).toBe(String(client.bodies[1]?.length));
    const [, form] = await parseSentForms(client, "/upload");
    expect(Object.fromEntries(form ?? [])).toMatchObject({
      media_category: "tweet_image",
      media: expect.objectContaining({ size: 1000, type: "image/png", name: "picture.jpg" }),
    });
  });

  test("a video is uploaded in segments of 1 MiB, continues from any cursor, and waits for its processing", async ({
    expect,
  }) => {
    const post = job({ media: [video({ sizeBytes: 40 * MIB + 5 })] });
    const client = captureBodies(
      scriptedClient((sent) => {
        if (sent.url.pathname.endsWith("/initialize")) {
          return uploadResponse("9");
        }
        if (sent.url.pathname.endsWith("/append")) {
          return { json: { data: { expires_at: 1 } } };
        }
        return sent.url.pathname.endsWith("/finalize")
          ? uploadResponse("9", { processing_info: { state: "pending", check_after_secs: 3 } })
          : uploadResponse("9", { processing_info: { state: "succeeded" } });
      }),
    );
    const first = await x.prepare(client, post, undefined);
    expect(first).toMatchObject({ state: "again", afterSeconds: 0, cursor: { segmentIndex: 32, offset: 32 * MIB } });
    const second = await x.prepare(client, post, first.state === "again" ? json(first.cursor) : undefined);
    expect(second).toMatchObject({ state: "again", afterSeconds: 3, cursor: { stage: "processing" } });
    const third = await x.prepare(client, post, second.state === "again" ? json(second.cursor) : undefined);
    expect(third).toMatchObject({ state: "ready", ref: { mediaIds: ["9"] } });

    expect(parseRequestBody(client.requests[0])).toEqual({
      media_type: "video/mp4",
      media_category: "tweet_video",
      total_bytes: 40 * MIB + 5,
    });
    const segments = await parseSentForms(client, "/append");
    expect(segments.map((segment) => segment.get("segment_index"))).toEqual(
      Array.from({ length: 41 }, (_, index) => String(index)),
    );
    const last = segments[40]?.get("media");
    expect(new Uint8Array((await (last as File | undefined)?.arrayBuffer()) ?? [])).toEqual(
      Uint8Array.from({ length: 5 }, (_, index) => (40 * MIB + index) % 251),
    );
    expect(client.requests.at(-1)?.url.search).toBe("?command=STATUS&media_id=9");
  });

  test("segments that X has stored are not sent again after a lost connection", async ({ expect }) => {
    const post = job({ media: [video({ sizeBytes: 3 * MIB })] });
    const client = scriptedClient(uploadResponse("9"), 200, 200, "connection_lost");
    expect(await x.prepare(client, post, undefined)).toMatchObject({
      state: "again",
      cursor: { segmentIndex: 2, offset: 2 * MIB },
    });
  });

  test("a file name cannot inject anything into the form", async ({ expect }) => {
    const client = captureBodies(scriptedClient(uploadResponse("1")));
    const post = job({ media: [image()] });
    const named = { ...post, media: post.media.map((media) => ({ ...media, filename: 'a"\r\n\r\nb.jpg' })) };
    expect(await x.prepare(client, named, undefined)).toMatchObject({ state: "ready" });
    const text = new TextDecoder("latin1").decode(client.bodies[0]);
    expect(text).toContain('name="media"; filename="a%22%0D%0A%0D%0Ab.jpg"\r\n');
  });

  test("segments that X refuses as too large are made smaller", async ({ expect }) => {
    const post = job({ media: [video({ sizeBytes: 3 * MIB })] });
    expect(await x.prepare(scriptedClient(uploadResponse("9"), 413), post, undefined)).toMatchObject({
      state: "again",
      afterSeconds: 0,
      cursor: { segmentBytes: MIB / 2, offset: 0 },
    });
  });

  test("an upload that X no longer knows is started again, at most twice", async ({ expect }) => {
    const post = job({ media: [video()] });
    const client = scriptedClient(uploadResponse("9"), refusal(400, "unknown media"), uploadResponse("10"));
    const outcome = await x.prepare(client, post, undefined);
    expect(outcome).toMatchObject({ state: "again", cursor: { id: "10", restartCount: 1, offset: 0 } });
    const cursor = outcome.state === "again" ? { ...(outcome.cursor as object), restartCount: 2 } : null;
    expect(await x.prepare(scriptedClient(refusal(404, "unknown media")), post, cursor)).toMatchObject({
      state: "refused",
    });
  });

  test("media that cannot be processed is refused with X's reason", async ({ expect }) => {
    const failed = uploadResponse("9", {
      processing_info: { state: "failed", error: { code: 3, name: "InvalidMedia", message: "Duration too long" } },
    });
    expect(
      await x.prepare(scriptedClient(uploadResponse("9"), 200, failed), job({ media: [video()] }), undefined),
    ).toMatchObject({
      state: "refused",
      fault: {
        kind: "rejected",
        code: "media_invalid",
        category: "media",
        platformCode: "InvalidMedia",
        message: expect.stringContaining("Duration too long"),
      },
    });
  });

  test("an animated GIF is uploaded with the category tweet_gif", async ({ expect }) => {
    const gif = image({ contentType: "image/gif", facts: { animated: true } });
    const client = scriptedClient(uploadResponse("9"), 200, uploadResponse("9"));
    expect(await x.prepare(client, job({ media: [gif] }), undefined)).toMatchObject({ state: "ready" });
    expect(parseRequestBody(client.requests[0])).toMatchObject({
      media_type: "image/gif",
      media_category: "tweet_gif",
    });
  });
});

describe("commit", () => {
  test("sends exactly the documented members", async ({ expect }) => {
    const post = job({
      media: [image()],
      options: { reply_settings: "following", quote_tweet_url: undefined as never, extra: 1 },
    });
    const client = scriptedClient(created);
    expect(await x.commit(client, post, await prepareRef(post))).toEqual({
      state: "published",
      remoteId: "1900000000000000099",
      url: "https://x.com/ada/status/1900000000000000099",
    });
    expect(`${client.requests[0]?.method} ${client.requests[0]?.url.href}`).toBe("POST https://api.x.com/2/tweets");
    expect(parseRequestBody(client.requests[0])).toEqual({
      text: "Release notes are out",
      media: { media_ids: ["1"] },
      reply_settings: "following",
    });
  });

  test("reply_settings null, which means everyone, is left out of the request", async ({ expect }) => {
    const client = scriptedClient(created);
    const post = job({ options: { reply_settings: null } });
    await x.commit(client, post, await prepareRef(post));
    expect(parseRequestBody(client.requests[0])).toEqual({ text: "Release notes are out" });
  });

  test.for([
    "Quoting this post is not allowed because you have not been mentioned",
    "You can only reply to or quote posts where you are mentioned or are the author.",
  ])("a quote that X refuses is posted again with the URL in the text: %s", async (sentence, { expect }) => {
    const options = { quote_tweet_url: "https://twitter.com/jack/status/20" };
    const post = job({ options, account: accountWithSettings({ QUOTE_MODE: "native_then_link" }) });
    const client = scriptedClient(refusal(403, sentence), created);
    const first = await x.commit(client, post, await prepareRef(post));
    expect(first).toMatchObject({ state: "more", progress: null, ref: { quote: "link" } });
    expect(await x.commit(client, post, first.state === "more" ? json(first.ref) : null)).toMatchObject({
      state: "published",
    });
    expect(client.requests.map(parseRequestBody)).toEqual([
      { text: "Release notes are out", quote_tweet_id: "20" },
      { text: "Release notes are out https://x.com/jack/status/20" },
    ]);
  });

  test("with QUOTE_MODE native a refused quote fails the post; by default no native quote is tried", async ({
    expect,
  }) => {
    const quote = { quote_tweet_url: "20" };
    const native = job({ options: quote, account: accountWithSettings({ QUOTE_MODE: "native" }) });
    expect(
      await x.commit(
        scriptedClient(refusal(403, "Quoting this post is not allowed")),
        native,
        await prepareRef(native),
      ),
    ).toMatchObject({
      state: "refused",
      fault: { code: "quote_not_allowed" },
    });
    const link = job({ options: quote });
    const client = scriptedClient(created);
    await x.commit(client, link, await prepareRef(link));
    expect(parseRequestBody(client.requests[0])).toEqual({ text: "Release notes are out https://x.com/i/status/20" });
  });

  test("media that X no longer knows is prepared again", async ({ expect }) => {
    const post = job({ media: [image()] });
    expect(
      await x.commit(scriptedClient(refusal(400, "Your media IDs are invalid.")), post, await prepareRef(post)),
    ).toMatchObject({ state: "stale" });
  });

  test.for<[string, ScriptedResponse]>([
    ["a lost connection", "connection_lost"],
    ["500", 500],
    ["503", 503],
    ["408", 408],
    ["a redirect", 302],
    ["201 without an id", { status: 201, json: { data: {} } }],
    ["200 without JSON", { text: "<html>" }],
  ])("after %s the outcome is uncertain", async ([, script], { expect }) => {
    const post = job();
    expect(await x.commit(scriptedClient(script), post, await prepareRef(post))).toMatchObject({
      state: "uncertain",
      ref: { sendCount: 1, sentAt: NOW },
    });
  });

  test("a duplicate is refused on the first call and uncertain after an uncertain outcome", async ({ expect }) => {
    const duplicate = refusal(403, "You are not allowed to create a Tweet with duplicate content.");
    const post = job();
    expect(await x.commit(scriptedClient(duplicate), post, await prepareRef(post))).toMatchObject({
      state: "refused",
      fault: { code: "duplicate_content" },
    });
    const repeated = job({ committedAt: NOW - 80_000 });
    expect(await x.commit(scriptedClient(duplicate), repeated, await prepareRef(repeated))).toMatchObject({
      state: "uncertain",
      ref: { duplicate: true },
    });
  });
});

describe("verify", () => {
  const list = (...posts: object[]): ScriptedResponse => ({
    json: { data: posts, meta: { result_count: posts.length } },
  });
  const emptyList: ScriptedResponse = { json: { meta: { result_count: 0 } } };
  const jobAfter = (seconds: number, parts: Parameters<typeof job>[0] = {}) =>
    job({ ...parts, committedAt: NOW, now: NOW + seconds * 1000 });

  test("waits until X lists the post", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await x.verify(client, jobAfter(5), await prepareRef(job()))).toEqual({
      state: "again",
      afterSeconds: 10,
      isProcessing: false,
    });
    expect(client.requests).toHaveLength(0);
  });

  test("finds a post after expanding its entities", async ({ expect }) => {
    const post = jobAfter(15, { caption: "A & B: example.com <now>", media: [image()] });
    const matchingPost = {
      id: "77",
      text: "A &amp; B: https://t.co/a &lt;now&gt; https://t.co/m",
      created_at: "2030-01-01T12:00:01.000Z",
      attachments: { media_keys: ["3_other"] },
      entities: {
        urls: [
          { url: "https://t.co/a", expanded_url: "http://example.com" },
          { url: "https://t.co/m", expanded_url: "https://x.com/ada/status/77/photo/1" },
        ],
      },
    };
    const client = scriptedClient(
      list({ id: "78", text: "something else", created_at: "2030-01-01T12:00:02.000Z" }, matchingPost),
    );
    expect(await x.verify(client, post, await prepareRef(post))).toEqual({
      state: "published",
      remoteId: "77",
      url: "https://x.com/ada/status/77",
    });
    expect(client.requests[0]?.url.pathname).toBe("/2/users/17841400008460057/tweets");
    expect(client.requests[0]?.url.searchParams.get("start_time")).toBe("2030-01-01T11:59:00Z");
  });

  test("finds a long post by its whole text, and an image without text by its media key", async ({ expect }) => {
    const long = jobAfter(15, { caption: "long ".repeat(100) });
    expect(
      await x.verify(
        scriptedClient(
          list({
            id: "5",
            text: "long long…",
            note_tweet: { text: "long ".repeat(100) },
            created_at: "2030-01-01T12:00:01Z",
          }),
        ),
        long,
        await prepareRef(long),
      ),
    ).toMatchObject({ remoteId: "5" });
    const withoutText = jobAfter(15, { caption: "", media: [image()] });
    expect(
      await x.verify(
        scriptedClient(list({ id: "6", text: "https://t.co/m", attachments: { media_keys: ["7_1"] } })),
        withoutText,
        await prepareRef(withoutText),
      ),
    ).toMatchObject({ remoteId: "6" });
  });

  test("asks again with the other spelling of the fields where X does not know the first", async ({ expect }) => {
    const client = scriptedClient(400, list({ id: "5", text: "Release notes are out" }));
    expect(await x.verify(client, jobAfter(15), await prepareRef(job()))).toMatchObject({ remoteId: "5" });
    const fields = (request: number, name: string) => client.requests[request]?.url.searchParams.get(name);
    expect([fields(0, "post.fields"), fields(0, "tweet.fields")]).toEqual([
      "created_at,text,entities,attachments,note_post",
      null,
    ]);
    expect([fields(1, "post.fields"), fields(1, "tweet.fields")]).toEqual([
      null,
      "created_at,text,entities,attachments,note_tweet",
    ]);
  });

  test("reads every page before it reports the post as absent", async ({ expect }) => {
    const client = scriptedClient(
      { json: { data: [], meta: { result_count: 0, next_token: "n" } } },
      list({ id: "5", text: "Release notes are out" }),
    );
    expect(await x.verify(client, jobAfter(15), await prepareRef(job()))).toMatchObject({
      state: "published",
      remoteId: "5",
    });
    expect(client.requests[1]?.url.searchParams.get("pagination_token")).toBe("n");
  });

  test("reports the post as absent only after a second check", async ({ expect }) => {
    const ref = await prepareRef(job());
    expect(await x.verify(scriptedClient(emptyList), jobAfter(15), ref)).toEqual({
      state: "again",
      afterSeconds: 40,
      isProcessing: false,
    });
    expect(await x.verify(scriptedClient(emptyList), jobAfter(55), ref)).toEqual({ state: "absent" });
  });

  test("never reports a post as absent if a second send could create a duplicate", async ({ expect }) => {
    const short = jobAfter(55, { caption: "gm" });
    expect(await x.verify(scriptedClient(emptyList), short, await prepareRef(short))).toMatchObject({
      state: "cannot_tell",
    });
    const withoutResend = jobAfter(55, { account: accountWithSettings({ RESEND: "never" }) });
    expect(await x.verify(scriptedClient(emptyList), withoutResend, await prepareRef(withoutResend))).toMatchObject({
      state: "cannot_tell",
    });
    const similar = jobAfter(55, { caption: "New article: https://example.com/1" });
    expect(
      await x.verify(
        scriptedClient(list({ id: "1", text: "New article: https://example.com/2" })),
        similar,
        await prepareRef(similar),
      ),
    ).toMatchObject({ state: "cannot_tell" });
    const sentTwice = { ...((await prepareRef(job())) as object), sendCount: 2, sentAt: NOW };
    expect(await x.verify(scriptedClient(emptyList), jobAfter(55), sentTwice)).toMatchObject({ state: "cannot_tell" });
  });

  test("a duplicate of another post is refused", async ({ expect }) => {
    const ref = { ...((await prepareRef(job())) as object), sendCount: 1, sentAt: NOW, duplicate: true };
    expect(await x.verify(scriptedClient(emptyList), jobAfter(75), ref)).toMatchObject({
      state: "refused",
      fault: { code: "duplicate_content" },
    });
  });

  test.for<[string, ScriptedResponse]>([
    ["400", 400],
    ["401", 401],
    ["429", 429],
    ["503", 503],
    ["a body with errors only", { json: { errors: [{ title: "Not Found Error" }] } }],
  ])("%s is no proof of absence", async ([, script], { expect }) => {
    expect(await x.verify(scriptedClient(script), jobAfter(200), await prepareRef(job()))).toMatchObject({
      state: "again",
      isProcessing: false,
    });
  });
});

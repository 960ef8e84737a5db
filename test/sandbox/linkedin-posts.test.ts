import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { publishedPosts, injectFault, sampleBytes, changeSettings } from "./sandbox-api.ts";
import {
  ADA,
  errorCodeOf,
  ORGANIZATION,
  type LinkedInClient,
  ORGANIZATION_SCOPES,
  createClient,
  postBody,
} from "./linkedin-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);
const MINUTE = 60_000;
const PART_BYTES = 4_194_304;

const jpeg = await sampleBytes("portrait.jpg");
const videoFile = await sampleBytes("landscape.mp4");

let ada: LinkedInClient;
let organizationClient: LinkedInClient;
beforeEach(async () => {
  advanceMs(2 * 86_400_000);
  ada = await createClient();
  organizationClient = await createClient({ scope: ORGANIZATION_SCOPES });
});
afterEach(() =>
  changeSettings("linkedin", {
    quota: null,
    verify_lag_ms: 0,
    lost_admin: null,
    fail_processing: null,
    names_duplicate: null,
    count_visible: null,
    part_token: null,
    vanish: null,
  }),
);

const createPost = (body: unknown, client = ada): Promise<Response> => client.callRest("POST", "posts", body);
const createdUrn = (response: Response): string => response.headers.get("x-restli-id") ?? "";
const postPath = (urn: string): string => `posts/${encodeURIComponent(urn)}`;

describe("a text", () => {
  test("returns 201 with an empty body and its id in a header", async ({ expect }) => {
    const response = await createPost(postBody("Release notes are out \\(v2\\)"));
    expect([response.status, await response.text()]).toEqual([201, ""]);
    const urn = createdUrn(response);
    expect(urn).toMatch(/^urn:li:share:\d{19}$/);
    expect((await publishedPosts("linkedin", "ada")).at(-1)).toEqual({
      id: urn,
      url: `https://www.linkedin.com/feed/update/${urn}/`,
      account: ADA,
      kind: "text",
      text: "Release notes are out (v2)",
      title: null,
      media: [],
      options: { visibility: "PUBLIC", feedDistribution: "MAIN_FEED" },
      accepted_at: new Date().toISOString(),
    });
  });

  test.for<[source: string, visibleText: string]>([
    ["cut here (and this is lost", "cut here "],
    ["a curly { is lost too", "a curly "],
    ["an at @somebody", "an at "],
    ["snake_case", "snake"],
    ["escaped \\(all\\) \\# \\@ \\\\ \\_", "escaped (all) # @ \\ _"],
    ["a {hashtag|\\#|tag} and #another", "a #tag and #another"],
    ["by @[Ada](urn:li:person:AbC123xyz)", "by Ada"],
    ["by @[Ada \\(she\\)](urn:li:person:AbC123xyz)", "by Ada (she)"],
  ])("%s is shown as %s", async ([source, visibleText], { expect }) => {
    expect((await createPost(postBody(source))).status).toBe(201);
    expect((await publishedPosts("linkedin", "ada")).at(-1)?.text).toBe(visibleText);
  });

  test.for<[what: string, body: unknown, expected: string]>([
    ["no author", { ...postBody("a"), author: undefined }, "422 MISSING_FIELD"],
    ["another user as author", postBody("a", { author: "urn:li:person:BeN456uvw" }), "403 ACCESS_DENIED"],
    ["no commentary", { ...postBody("a"), commentary: undefined }, "400 MISSING_FIELD"],
    ["neither text nor media", postBody(""), "400 MISSING_FIELD"],
    ["no visibility", { ...postBody("a"), visibility: undefined }, "400 MISSING_FIELD"],
    ["an unknown visibility", postBody("a", { visibility: "ALL" }), "400 INVALID_VALUE_FOR_FIELD"],
    ["no distribution", { ...postBody("a"), distribution: undefined }, "400 MISSING_FIELD"],
    ["a draft", postBody("a", { lifecycleState: "DRAFT" }), "400 INVALID_VALUE_FOR_FIELD"],
    ["content of an unknown kind", postBody("a", { content: { gif: {} } }), "403 ACCESS_DENIED"],
    ["content that is a list", postBody("a", { content: [] }), "400 INVALID_VALUE_FOR_FIELD"],
    ["a body that is not JSON", "{", "400 ILLEGAL_ARGUMENT"],
  ])("is refused for %s", async ([, body, expected], { expect }) => {
    const before = (await publishedPosts("linkedin")).length;
    expect(await errorCodeOf(await createPost(body))).toBe(expected);
    expect(await publishedPosts("linkedin")).toHaveLength(before);
  });

  test("has at most 3000 characters, with or without its escapes", async ({ expect }) => {
    expect((await createPost(postBody("a".repeat(3000)))).status).toBe(201);
    for (const commentary of ["a".repeat(3001), "\\#".repeat(1501)]) {
      const response = await createPost(postBody(commentary));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        message: expect.stringContaining(`text length (${commentary.length} characters) exceeded`) as string,
        errorDetails: { inputErrors: [{ code: "FIELD_ARRAY_SIZE_TOO_HIGH" }] },
      });
    }
    await changeSettings("linkedin", { count_visible: true });
    expect((await createPost(postBody("\\#".repeat(3000)))).status).toBe(201);
    expect((await createPost(postBody("\\#".repeat(3001)))).status).toBe(400);
  });

  test("with the same body within ten minutes is refused, with a dead URN or that of the earlier post", async ({
    expect,
  }) => {
    const urn = createdUrn(await createPost(postBody("twice")));
    const refuseAgain = async () => {
      const response = await createPost(postBody("twice"));
      expect(response.status).toBe(422);
      const body = await response.json<{ message: string }>();
      expect(body).toMatchObject({ errorDetails: { inputErrors: [{ code: "DUPLICATE_POST" }] }, status: 422 });
      return /Content is a duplicate of (urn:li:share:\d+)$/.exec(body.message)?.[1];
    };
    const [first, second] = [await refuseAgain(), await refuseAgain()];
    expect(new Set([urn, first, second, undefined]).size).toBe(4);
    await changeSettings("linkedin", { names_duplicate: true });
    expect(await refuseAgain()).toBe(urn);
    expect((await createPost(postBody("twice "))).status).toBe(201);
    advanceMs(10 * MINUTE);
    expect((await createPost(postBody("twice"))).status).toBe(201);
  });

  test("sent concurrently is accepted once", async ({ expect }) => {
    const responses = await Promise.all([1, 2, 3].map(() => createPost(postBody("all at once"))));
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([201, 422, 422]);
  });

  test("is refused above the quota until midnight UTC", async ({ expect }) => {
    vi.setSystemTime(Date.parse("2031-05-01T23:00:00Z"));
    ada = await createClient();
    await changeSettings("linkedin", { quota: 1 });
    expect((await createPost(postBody("one"))).status).toBe(201);
    expect(await errorCodeOf(await createPost(postBody("two")))).toBe("429 TOO_MANY_REQUESTS");
    advanceMs(60 * MINUTE);
    expect((await createPost(postBody("two"))).status).toBe(201);
  });

  test("can be published after a 504, and missing after a 201", async ({ expect }) => {
    await injectFault("linkedin", { match: { path: "/rest/posts" }, effect: "answer_after", status: 504 });
    expect((await createPost(postBody("late answer"))).status).toBe(504);
    expect((await publishedPosts("linkedin", "ada")).at(-1)?.text).toBe("late answer");
    await changeSettings("linkedin", { vanish: true });
    expect((await createPost(postBody("taken down"))).status).toBe(201);
    expect((await publishedPosts("linkedin", "ada")).at(-1)?.text).toBe("late answer");
  });
});

describe("an organization", () => {
  const organizationPost = (text: string) => postBody(text, { author: ORGANIZATION });

  test("can be posted for by its administrators, with the scope for it", async ({ expect }) => {
    expect((await createPost(organizationPost("we"), organizationClient)).status).toBe(201);
    expect((await publishedPosts("linkedin", ORGANIZATION)).at(-1)).toMatchObject({
      account: ORGANIZATION,
      text: "we",
    });
    expect(await errorCodeOf(await createPost(organizationPost("we too")))).toBe("403 ACCESS_DENIED");
    const ben = await createClient({ login: "ben", scope: ORGANIZATION_SCOPES });
    expect(await errorCodeOf(await createPost(organizationPost("not we"), ben))).toBe("403 ACCESS_DENIED");
    await changeSettings("linkedin", { lost_admin: true });
    expect(await errorCodeOf(await createPost(organizationPost("no longer"), organizationClient))).toBe(
      "403 ACCESS_DENIED",
    );
  });

  test("has posts that can be listed newest first and paginated; a member's posts cannot be read", async ({
    expect,
  }) => {
    const findPosts = (
      author: string,
      query = "",
      client = organizationClient,
      headers = { "x-restli-method": "FINDER" } as Record<string, string>,
    ) =>
      client.callRest(
        "GET",
        `posts?q=author&author=${encodeURIComponent(author)}&sortBy=LAST_MODIFIED${query}`,
        undefined,
        headers,
      );
    for (const text of ["first", "second", "third"]) {
      await createPost(organizationPost(text), organizationClient);
      advanceMs(1000);
    }
    interface Page {
      readonly paging: { readonly links: readonly { rel: string; href: string }[] };
      readonly elements: readonly { id: string; commentary: string; createdAt: number }[];
    }
    const page = await (await findPosts(ORGANIZATION, "&count=2")).json<Page>();
    expect(page.elements.map((post) => post.commentary)).toEqual(["third", "second"]);
    const next = page.paging.links[0]?.href.replace("/rest/", "") ?? "";
    const rest = await (
      await organizationClient.callRest("GET", next, undefined, { "x-restli-method": "FINDER" })
    ).json<Page>();
    expect(rest.elements[0]?.commentary).toBe("first");
    expect(await errorCodeOf(await findPosts(ORGANIZATION, "", organizationClient, {}))).toBe("400 ILLEGAL_ARGUMENT");
    expect(await errorCodeOf(await findPosts(ADA, "", organizationClient))).toBe("403 ACCESS_DENIED");
    expect(await errorCodeOf(await findPosts(ORGANIZATION, "", ada))).toBe("403 ACCESS_DENIED");
    const { id } = page.elements[0]!;
    expect(await (await organizationClient.callRest("GET", postPath(id))).json()).toMatchObject({
      id,
      commentary: "third",
    });
    const memberPost = createdUrn(await createPost(postBody("mine")));
    expect(await errorCodeOf(await ada.callRest("GET", postPath(memberPost)))).toBe("403 ACCESS_DENIED");
    await changeSettings("linkedin", { verify_lag_ms: 10_000 });
    advanceMs(10_000);
    await createPost(organizationPost("fourth"), organizationClient);
    expect((await (await findPosts(ORGANIZATION, "&count=1")).json<Page>()).elements[0]?.commentary).toBe("third");
  });

  test("deletes a post idempotently, with an encoded or a plain URN", async ({ expect }) => {
    const urn = createdUrn(await createPost(organizationPost("short"), organizationClient));
    for (const path of [postPath(urn), `posts/${urn}`, "posts/urn%3Ali%3Ashare%3A1"]) {
      expect((await organizationClient.callRest("DELETE", path)).status).toBe(204);
    }
    expect(await errorCodeOf(await organizationClient.callRest("GET", postPath(urn)))).toBe("404 NOT_FOUND");
  });
});

describe("images", () => {
  const mediaContent = (id: string) => ({ content: { media: { id, altText: "a bowl" } } });
  const multiImageContent = (ids: readonly string[]) => ({
    content: { multiImage: { images: ids.map((id) => ({ id })) } },
  });

  test("can be posted one at a time once processed", async ({ expect }) => {
    const urn = await ada.uploadImage(jpeg);
    expect(urn).toMatch(/^urn:li:image:C/);
    expect(await errorCodeOf(await createPost(postBody("early", mediaContent(urn))))).toBe(
      "400 MEDIA_ASSET_WAITING_UPLOAD",
    );
    advanceMs(2000);
    expect((await createPost(postBody("one", mediaContent(urn)))).status).toBe(201);
    expect((await publishedPosts("linkedin", "ada")).at(-1)).toMatchObject({
      kind: "image",
      text: "one",
      media: [{ type: "image", sha256: await sha256Hex(jpeg) }],
    });
  });

  test("have an alternative text of up to 4,086 characters, which videos have not", async ({ expect }) => {
    const urn = await ada.uploadImage(jpeg);
    advanceMs(2000);
    const described = (altText: unknown, id = urn) =>
      createPost(postBody(`described ${String(altText).length} ${id}`, { content: { media: { id, altText } } }));
    expect(await errorCodeOf(await described("a".repeat(4087)))).toBe("400 FIELD_LENGTH_TOO_LONG");
    expect(await errorCodeOf(await described("A clip", "urn:li:video:C1"))).toBe("400 INVALID_VALUE_FOR_FIELD");
    expect((await described("a".repeat(4086))).status).toBe(201);
    expect((await publishedPosts("linkedin", "ada")).at(-1)).toMatchObject({
      options: { alt_texts: ["a".repeat(4086)] },
    });
  });

  test("can be posted two to twenty at a time, in order", async ({ expect }) => {
    const png = await sampleBytes("square.png");
    const urns = [await ada.uploadImage(png), await ada.uploadImage(jpeg)];
    advanceMs(2000);
    expect((await createPost(postBody("", multiImageContent(urns)))).status).toBe(201);
    expect((await publishedPosts("linkedin", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      media: [{ sha256: await sha256Hex(png) }, { sha256: await sha256Hex(jpeg) }],
    });
    const [one = ""] = urns;
    expect(await errorCodeOf(await createPost(postBody("", multiImageContent([one]))))).toBe(
      "400 INVALID_VALUE_FOR_FIELD",
    );
    const tooMany = Array.from({ length: 21 }, () => one);
    expect(await errorCodeOf(await createPost(postBody("", multiImageContent(tooMany))))).toBe(
      "400 INVALID_VALUE_FOR_FIELD",
    );
  });

  test("need a bearer token to upload, and can be used by their owner only", async ({ expect }) => {
    const initialized = await ada.callRest("POST", "images?action=initializeUpload", {
      initializeUploadRequest: { owner: ADA },
    });
    const { value } = await initialized.json<{
      value: { uploadUrl: string; image: string; uploadUrlExpiresAt: number };
    }>();
    expect(await errorCodeOf(await ada.putBytes(value.uploadUrl, jpeg, false))).toBe("401 EMPTY_ACCESS_TOKEN");
    expect(value.uploadUrlExpiresAt).toBe(Date.now() + 3_600_000);
    const response = await ada.putBytes(value.uploadUrl, jpeg, true);
    expect([response.status, response.headers.get("etag")]).toEqual([201, expect.stringMatching(/^".+"$/)]);
    advanceMs(2000);
    const organizationBody = postBody("theirs", { author: ORGANIZATION, ...mediaContent(value.image) });
    expect(await errorCodeOf(await createPost(organizationBody, organizationClient))).toBe("400 INVALID_URN_ID");
    expect(await errorCodeOf(await createPost(postBody("none", mediaContent("urn:li:image:C0"))))).toBe(
      "400 INVALID_URN_ID",
    );
    const foreign = { initializeUploadRequest: { owner: ORGANIZATION } };
    expect(await errorCodeOf(await ada.callRest("POST", "images?action=initializeUpload", foreign))).toBe(
      "403 ACCESS_DENIED",
    );
    expect(await errorCodeOf(await ada.callRest("POST", "images?action=initializeUpload", {}))).toBe(
      "400 MISSING_FIELD",
    );
  });

  test("can be read with an organization's scopes, not with a member's", async ({ expect }) => {
    const urn = await organizationClient.uploadImage(jpeg, ORGANIZATION);
    const readImage = () => organizationClient.callRest("GET", `images/${encodeURIComponent(urn)}`);
    expect(await (await readImage()).json()).toMatchObject({ id: urn, owner: ORGANIZATION, status: "PROCESSING" });
    advanceMs(2000);
    expect(await (await readImage()).json()).toMatchObject({ status: "AVAILABLE" });
    const memberImage = await ada.uploadImage(jpeg);
    expect(await errorCodeOf(await ada.callRest("GET", `images/${encodeURIComponent(memberImage)}`))).toBe(
      "403 ACCESS_DENIED",
    );
  });

  test("of unsupported formats fail to be processed", async ({ expect }) => {
    for (const name of ["landscape.webp", "page.jpg"]) {
      const urn = await ada.uploadImage(await sampleBytes(name));
      advanceMs(2000);
      expect(await errorCodeOf(await createPost(postBody(name, mediaContent(urn))))).toBe(
        "400 MEDIA_ASSET_PROCESSING_FAILED",
      );
    }
  });

  test("cannot be uploaded an hour later", async ({ expect }) => {
    const initialized = await ada.callRest("POST", "images?action=initializeUpload", {
      initializeUploadRequest: { owner: ADA },
    });
    const { value } = await initialized.json<{ value: { uploadUrl: string } }>();
    advanceMs(3_600_000);
    expect(await errorCodeOf(await ada.putBytes(value.uploadUrl, jpeg, true))).toBe("400 EXPIRED_UPLOAD_URL");
  });
});

describe("a video", () => {
  const videoStatus = async (urn: string, client = ada) =>
    (await (await client.callRest("GET", `videos/${encodeURIComponent(urn)}`)).json<{ status: string }>()).status;

  test("is uploaded, processed and posted; a member can read its status", async ({ expect }) => {
    const urn = await ada.uploadVideo(videoFile);
    expect(urn).toMatch(/^urn:li:video:C/);
    expect(await videoStatus(urn)).toBe("PROCESSING");
    advanceMs(2000);
    expect(await videoStatus(urn)).toBe("AVAILABLE");
    const response = await createPost(postBody("moving", { content: { media: { id: urn, title: "A bowl" } } }));
    expect(createdUrn(response)).toMatch(/^urn:li:ugcPost:\d{19}$/);
    expect((await publishedPosts("linkedin", "ada")).at(-1)).toMatchObject({
      kind: "video",
      media: [{ type: "video", sha256: await sha256Hex(videoFile) }],
    });
  });

  test("takes its parts without a token, or with the setting part_token only with one", async ({ expect }) => {
    const sendPart = async (withToken: boolean) => {
      const { uploadInstructions } = await ada.initializeVideo(videoFile.length);
      return errorCodeOf(await ada.putBytes(uploadInstructions[0]?.uploadUrl ?? "", videoFile, withToken));
    };
    expect([await sendPart(false), await sendPart(true)]).toEqual(["201", "400 ILLEGAL_ARGUMENT"]);
    await changeSettings("linkedin", { part_token: true });
    expect([await sendPart(false), await sendPart(true)]).toEqual(["401 EMPTY_ACCESS_TOKEN", "201"]);
  });

  test("is uploaded in parts of 4 MiB and finalized with their ETags in order", async ({ expect }) => {
    const bytes = new Uint8Array(2 * PART_BYTES + 10);
    bytes.set(videoFile);
    const { video, uploadToken, uploadInstructions } = await ada.initializeVideo(bytes.length);
    expect(uploadToken).toBe("");
    expect(uploadInstructions.map((part) => [part.firstByte, part.lastByte])).toEqual([
      [0, PART_BYTES - 1],
      [PART_BYTES, 2 * PART_BYTES - 1],
      [2 * PART_BYTES, 2 * PART_BYTES + 9],
    ]);
    const sendPart = (index: number, from: number, to: number) =>
      ada.putBytes(uploadInstructions[index]?.uploadUrl ?? "", bytes.slice(from, to), false);
    expect(await errorCodeOf(await sendPart(0, 0, PART_BYTES - 1))).toBe("400 ILLEGAL_ARGUMENT");
    const responses = await Promise.all([
      sendPart(2, 2 * PART_BYTES, 2 * PART_BYTES + 10),
      sendPart(0, 0, PART_BYTES),
      sendPart(1, PART_BYTES, 2 * PART_BYTES),
    ]);
    const [third = "", first = "", second = ""] = responses.map((response) =>
      (response.headers.get("etag") ?? "").replaceAll('"', ""),
    );
    expect(await videoStatus(video)).toBe("WAITING_UPLOAD");
    for (const [ids, token] of [
      [[first, second], ""],
      [[second, first, third], ""],
      [[first, second, third], "x"],
    ] as const) {
      expect(await errorCodeOf(await ada.finalizeVideo(video, ids, token))).toBe("400 ILLEGAL_ARGUMENT");
    }
    expect((await ada.finalizeVideo(video, [first, second, third])).status).toBe(200);
    advanceMs(2000);
    await createPost(postBody("long", { content: { media: { id: video } } }));
    expect((await publishedPosts("linkedin", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(bytes));
  });

  test("that announces a cover is finalized only with one, a JPEG or PNG without a token", async ({ expect }) => {
    const response = await ada.callRest("POST", "videos?action=initializeUpload", {
      initializeUploadRequest: { owner: ADA, fileSizeBytes: videoFile.length, uploadThumbnail: true },
    });
    const { value } = await response.json<{
      value: { video: string; thumbnailUploadUrl: string; uploadInstructions: { uploadUrl: string }[] };
    }>();
    const { video, thumbnailUploadUrl, uploadInstructions } = value;
    const part = await ada.putBytes(uploadInstructions[0]?.uploadUrl ?? "", videoFile, false);
    const etags = [(part.headers.get("etag") ?? "").replaceAll('"', "")];
    expect(await errorCodeOf(await ada.finalizeVideo(video, etags))).toBe("400 ILLEGAL_ARGUMENT");
    expect(await errorCodeOf(await ada.putBytes(thumbnailUploadUrl, videoFile, false))).toBe("400 ILLEGAL_ARGUMENT");
    expect(await errorCodeOf(await ada.putBytes(thumbnailUploadUrl, jpeg, true))).toBe("400 ILLEGAL_ARGUMENT");
    expect((await ada.putBytes(thumbnailUploadUrl, jpeg, false)).status).toBe(201);
    expect((await ada.finalizeVideo(video, etags)).status).toBe(200);
  });

  test("cannot be posted with images, be over 500 MB, or be another user's", async ({ expect }) => {
    const urn = await ada.uploadVideo(videoFile);
    const picture = await ada.uploadImage(jpeg);
    advanceMs(2000);
    const mixed = { content: { multiImage: { images: [{ id: urn }, { id: picture }] } } };
    expect(await errorCodeOf(await createPost(postBody("both", mixed)))).toBe("400 INVALID_URN_ID");
    const initializeUploadRequest = { owner: ADA, fileSizeBytes: 500 * 1024 * 1024 + 1 };
    expect(
      await errorCodeOf(await ada.callRest("POST", "videos?action=initializeUpload", { initializeUploadRequest })),
    ).toBe("400 INVALID_VALUE_FOR_FIELD");
    const ben = await createClient({ login: "ben" });
    expect(await errorCodeOf(await ben.callRest("GET", `videos/${encodeURIComponent(urn)}`))).toBe("404 NOT_FOUND");
    expect(await errorCodeOf(await ben.finalizeVideo(urn, []))).toBe("400 INVALID_VIDEO_ID");
  });

  test("fails to be processed with the setting fail_processing", async ({ expect }) => {
    await changeSettings("linkedin", { fail_processing: true });
    const urn = await ada.uploadVideo(videoFile);
    advanceMs(2000);
    expect(await videoStatus(urn)).toBe("PROCESSING_FAILED");
    expect(await errorCodeOf(await createPost(postBody("x", { content: { media: { id: urn } } })))).toBe(
      "400 MEDIA_ASSET_PROCESSING_FAILED",
    );
  });
});

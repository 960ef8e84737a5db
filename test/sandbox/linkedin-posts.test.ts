import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { bookOf, fault, sample, settings } from "./help.ts";
import { ADA, codeOf, COMPANY, type LinkedInPerson, PAGES, person, postOf } from "./linkedin-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const MINUTE = 60_000;
const PART = 4_194_304;

const jpeg = await sample("portrait.jpg");
const film = await sample("landscape.mp4");

let ada: LinkedInPerson;
let pages: LinkedInPerson;
beforeEach(async () => {
  pass(2 * 86_400_000);
  ada = await person();
  pages = await person({ scope: PAGES });
});
afterEach(() =>
  settings("linkedin", {
    quota: null,
    verify_lag_ms: 0,
    lost_admin: null,
    fail_processing: null,
    vanish: null,
  }),
);

const create = (body: unknown, who = ada): Promise<Response> => who.rest("POST", "posts", body);
const urnOf = (answer: Response): string => answer.headers.get("x-restli-id") ?? "";
const pathOf = (urn: string): string => `posts/${encodeURIComponent(urn)}`;

describe("a text", () => {
  test("is 201 with an empty body; the header is the only place of its id", async ({ expect }) => {
    const answer = await create(postOf("Release notes are out \\(v2\\)"));
    expect([answer.status, await answer.text()]).toEqual([201, ""]);
    const urn = urnOf(answer);
    expect(urn).toMatch(/^urn:li:share:\d{19}$/);
    expect((await bookOf("linkedin", "ada")).at(-1)).toEqual({
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

  test.for<[source: string, shown: string]>([
    ["cut here (and this is lost", "cut here "],
    ["a curly { is lost too", "a curly "],
    ["an at @somebody", "an at "],
    ["snake_case", "snake"],
    ["escaped \\(all\\) \\# \\@ \\\\ \\_", "escaped (all) # @ \\ _"],
    ["a {hashtag|\\#|tag} and #another", "a #tag and #another"],
    ["by @[Ada](urn:li:person:AbC123xyz)", "by Ada"],
  ])("%s is shown as %s", async ([source, shown], { expect }) => {
    expect((await create(postOf(source))).status).toBe(201);
    expect((await bookOf("linkedin", "ada")).at(-1)?.text).toBe(shown);
  });

  test.for<[what: string, body: unknown, word: string]>([
    ["no author", { ...postOf("a"), author: undefined }, "422 MISSING_FIELD"],
    ["somebody else as author", postOf("a", { author: "urn:li:person:BeN456uvw" }), "403 ACCESS_DENIED"],
    ["no commentary", { ...postOf("a"), commentary: undefined }, "400 MISSING_FIELD"],
    ["neither text nor media", postOf(""), "400 MISSING_FIELD"],
    ["no visibility", { ...postOf("a"), visibility: undefined }, "400 MISSING_FIELD"],
    ["a visibility that is none", postOf("a", { visibility: "ALL" }), "400 INVALID_VALUE_FOR_FIELD"],
    ["no distribution", { ...postOf("a"), distribution: undefined }, "400 MISSING_FIELD"],
    ["a draft", postOf("a", { lifecycleState: "DRAFT" }), "400 INVALID_VALUE_FOR_FIELD"],
    ["3001 characters", postOf("a".repeat(3001)), "400 FIELD_LENGTH_TOO_LONG"],
    ["content of an unknown kind", postOf("a", { content: { gif: {} } }), "400 INVALID_VALUE_FOR_FIELD"],
    ["content that is a list", postOf("a", { content: [] }), "400 INVALID_VALUE_FOR_FIELD"],
    ["a body that is not JSON", "{", "400 ILLEGAL_ARGUMENT"],
  ])("is refused for %s", async ([, body, word], { expect }) => {
    const before = (await bookOf("linkedin")).length;
    expect(await codeOf(await create(body))).toBe(word);
    expect(await bookOf("linkedin")).toHaveLength(before);
  });

  test("takes 3000 characters, and what escapes them does not count", async ({ expect }) => {
    expect((await create(postOf("\\#".repeat(3000)))).status).toBe(201);
  });

  test("byte for byte the same within ten minutes names the one that is there", async ({ expect }) => {
    const urn = urnOf(await create(postOf("twice")));
    const again = await create(postOf("twice"));
    expect(again.status).toBe(422);
    expect(await again.json()).toMatchObject({
      message: expect.stringMatching(new RegExp(`Content is a duplicate of ${urn}$`)) as string,
      errorDetails: { inputErrors: [{ code: "DUPLICATE_POST" }] },
      status: 422,
    });
    expect((await create(postOf("twice "))).status).toBe(201);
    pass(10 * MINUTE);
    expect((await create(postOf("twice"))).status).toBe(201);
  });

  test("at the same moment is accepted once", async ({ expect }) => {
    const answers = await Promise.all([1, 2, 3].map(() => create(postOf("all at once"))));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 422, 422]);
  });

  test("so many a day, until midnight UTC", async ({ expect }) => {
    vi.setSystemTime(Date.parse("2031-05-01T23:00:00Z"));
    ada = await person();
    await settings("linkedin", { quota: 1 });
    expect((await create(postOf("one"))).status).toBe(201);
    expect(await codeOf(await create(postOf("two")))).toBe("429 TOO_MANY_REQUESTS");
    pass(60 * MINUTE);
    expect((await create(postOf("two"))).status).toBe(201);
  });

  test("may be there after a 504, and gone after a 201", async ({ expect }) => {
    await fault("linkedin", { match: { path: "/rest/posts" }, effect: "answer_after", status: 504 });
    expect((await create(postOf("late answer"))).status).toBe(504);
    expect((await bookOf("linkedin", "ada")).at(-1)?.text).toBe("late answer");
    await settings("linkedin", { vanish: true });
    expect((await create(postOf("taken down"))).status).toBe(201);
    expect((await bookOf("linkedin", "ada")).at(-1)?.text).toBe("late answer");
  });
});

describe("a company", () => {
  const forCompany = (text: string) => postOf(text, { author: COMPANY });

  test("is spoken for by who runs it, with the scope for it", async ({ expect }) => {
    expect((await create(forCompany("we"), pages)).status).toBe(201);
    expect((await bookOf("linkedin", COMPANY)).at(-1)).toMatchObject({ account: COMPANY, text: "we" });
    expect(await codeOf(await create(forCompany("we too")))).toBe("403 ACCESS_DENIED");
    const ben = await person({ login: "ben", scope: PAGES });
    expect(await codeOf(await create(forCompany("not we"), ben))).toBe("403 ACCESS_DENIED");
    await settings("linkedin", { lost_admin: true });
    expect(await codeOf(await create(forCompany("no longer"), pages))).toBe("403 ACCESS_DENIED");
  });

  test("can be read back, page by page, the newest first; a member cannot", async ({ expect }) => {
    const find = (
      author: string,
      query = "",
      who = pages,
      headers = { "x-restli-method": "FINDER" } as Record<string, string>,
    ) =>
      who.rest(
        "GET",
        `posts?q=author&author=${encodeURIComponent(author)}&sortBy=LAST_MODIFIED${query}`,
        undefined,
        headers,
      );
    for (const text of ["first", "second", "third"]) {
      await create(forCompany(text), pages);
      pass(1000);
    }
    interface Page {
      readonly paging: { readonly links: readonly { rel: string; href: string }[] };
      readonly elements: readonly { id: string; commentary: string; createdAt: number }[];
    }
    const page = await (await find(COMPANY, "&count=2")).json<Page>();
    expect(page.elements.map((post) => post.commentary)).toEqual(["third", "second"]);
    const next = page.paging.links[0]?.href.replace("/rest/", "") ?? "";
    const rest = await (await pages.rest("GET", next, undefined, { "x-restli-method": "FINDER" })).json<Page>();
    expect(rest.elements[0]?.commentary).toBe("first");
    expect(await codeOf(await find(COMPANY, "", pages, {}))).toBe("400 ILLEGAL_ARGUMENT");
    expect(await codeOf(await find(ADA, "", pages))).toBe("403 ACCESS_DENIED");
    expect(await codeOf(await find(COMPANY, "", ada))).toBe("403 ACCESS_DENIED");
    const { id } = page.elements[0]!;
    expect(await (await pages.rest("GET", pathOf(id))).json()).toMatchObject({ id, commentary: "third" });
    const own = urnOf(await create(postOf("mine")));
    expect(await codeOf(await ada.rest("GET", pathOf(own)))).toBe("403 ACCESS_DENIED");
    await settings("linkedin", { verify_lag_ms: 10_000 });
    pass(10_000);
    await create(forCompany("fourth"), pages);
    expect((await (await find(COMPANY, "&count=1")).json<Page>()).elements[0]?.commentary).toBe("third");
  });

  test("deletes 204, also twice, also with a bare colon", async ({ expect }) => {
    const urn = urnOf(await create(forCompany("short"), pages));
    for (const path of [pathOf(urn), `posts/${urn}`, "posts/urn%3Ali%3Ashare%3A1"]) {
      expect((await pages.rest("DELETE", path)).status).toBe(204);
    }
    expect(await codeOf(await pages.rest("GET", pathOf(urn)))).toBe("404 NOT_FOUND");
  });
});

describe("images", () => {
  const media = (id: string) => ({ content: { media: { id, altText: "a bowl" } } });
  const multi = (ids: readonly string[]) => ({ content: { multiImage: { images: ids.map((id) => ({ id })) } } });

  test("wait until they are processed; one stands in the post", async ({ expect }) => {
    const urn = await ada.image(jpeg);
    expect(urn).toMatch(/^urn:li:image:C/);
    expect(await codeOf(await create(postOf("early", media(urn))))).toBe("400 MEDIA_ASSET_WAITING_UPLOAD");
    pass(2000);
    expect((await create(postOf("one", media(urn)))).status).toBe(201);
    expect((await bookOf("linkedin", "ada")).at(-1)).toMatchObject({
      kind: "image",
      text: "one",
      media: [{ type: "image", sha256: await sha256Hex(jpeg) }],
    });
  });

  test("two to twenty stand in their order", async ({ expect }) => {
    const png = await sample("square.png");
    const urns = [await ada.image(png), await ada.image(jpeg)];
    pass(2000);
    expect((await create(postOf("", multi(urns)))).status).toBe(201);
    expect((await bookOf("linkedin", "ada")).at(-1)).toMatchObject({
      kind: "carousel",
      media: [{ sha256: await sha256Hex(png) }, { sha256: await sha256Hex(jpeg) }],
    });
    const [one = ""] = urns;
    expect(await codeOf(await create(postOf("", multi([one]))))).toBe("400 INVALID_VALUE_FOR_FIELD");
    const many = Array.from({ length: 21 }, () => one);
    expect(await codeOf(await create(postOf("", multi(many))))).toBe("400 INVALID_VALUE_FOR_FIELD");
  });

  test("need the bearer, and are the owner's alone", async ({ expect }) => {
    const started = await ada.rest("POST", "images?action=initializeUpload", {
      initializeUploadRequest: { owner: ADA },
    });
    const { value } = await started.json<{ value: { uploadUrl: string; image: string; uploadUrlExpiresAt: number } }>();
    expect(await codeOf(await ada.put(value.uploadUrl, jpeg, false))).toBe("401 EMPTY_ACCESS_TOKEN");
    expect(value.uploadUrlExpiresAt).toBe(Date.now() + 3_600_000);
    const answer = await ada.put(value.uploadUrl, jpeg, true);
    expect([answer.status, answer.headers.get("etag")]).toEqual([201, expect.stringMatching(/^".+"$/)]);
    pass(2000);
    const asCompany = postOf("theirs", { author: COMPANY, ...media(value.image) });
    expect(await codeOf(await create(asCompany, pages))).toBe("400 INVALID_URN_ID");
    expect(await codeOf(await create(postOf("none", media("urn:li:image:C0"))))).toBe("400 INVALID_URN_ID");
    const foreign = { initializeUploadRequest: { owner: COMPANY } };
    expect(await codeOf(await ada.rest("POST", "images?action=initializeUpload", foreign))).toBe("403 ACCESS_DENIED");
    expect(await codeOf(await ada.rest("POST", "images?action=initializeUpload", {}))).toBe("400 MISSING_FIELD");
  });

  test("can be asked about with a page's scopes, not with a member's", async ({ expect }) => {
    const urn = await pages.image(jpeg, COMPANY);
    const look = () => pages.rest("GET", `images/${encodeURIComponent(urn)}`);
    expect(await (await look()).json()).toMatchObject({ id: urn, owner: COMPANY, status: "PROCESSING" });
    pass(2000);
    expect(await (await look()).json()).toMatchObject({ status: "AVAILABLE" });
    const mine = await ada.image(jpeg);
    expect(await codeOf(await ada.rest("GET", `images/${encodeURIComponent(mine)}`))).toBe("403 ACCESS_DENIED");
  });

  test("that are none fail to be processed", async ({ expect }) => {
    for (const name of ["landscape.webp", "page.jpg"]) {
      const urn = await ada.image(await sample(name));
      pass(2000);
      expect(await codeOf(await create(postOf(name, media(urn))))).toBe("400 MEDIA_ASSET_PROCESSING_FAILED");
    }
  });

  test("cannot be sent an hour later", async ({ expect }) => {
    const started = await ada.rest("POST", "images?action=initializeUpload", {
      initializeUploadRequest: { owner: ADA },
    });
    const { value } = await started.json<{ value: { uploadUrl: string } }>();
    pass(3_600_000);
    expect(await codeOf(await ada.put(value.uploadUrl, jpeg, true))).toBe("400 EXPIRED_UPLOAD_URL");
  });
});

describe("a video", () => {
  const status = async (urn: string, who = ada) =>
    (await (await who.rest("GET", `videos/${encodeURIComponent(urn)}`)).json<{ status: string }>()).status;

  test("is uploaded, processed, posted; a member may ask about it", async ({ expect }) => {
    const urn = await ada.video(film);
    expect(urn).toMatch(/^urn:li:video:C/);
    expect(await status(urn)).toBe("PROCESSING");
    pass(2000);
    expect(await status(urn)).toBe("AVAILABLE");
    const answer = await create(postOf("moving", { content: { media: { id: urn, title: "A bowl" } } }));
    expect(urnOf(answer)).toMatch(/^urn:li:ugcPost:\d{19}$/);
    expect((await bookOf("linkedin", "ada")).at(-1)).toMatchObject({
      kind: "video",
      media: [{ type: "video", sha256: await sha256Hex(film) }],
    });
  });

  test("in parts of 4 MiB, finished by their marks in order", async ({ expect }) => {
    const bytes = new Uint8Array(2 * PART + 10);
    bytes.set(film);
    const { video, uploadToken, uploadInstructions } = await ada.startVideo(bytes.length);
    expect(uploadToken).toBe("");
    expect(uploadInstructions.map((part) => [part.firstByte, part.lastByte])).toEqual([
      [0, PART - 1],
      [PART, 2 * PART - 1],
      [2 * PART, 2 * PART + 9],
    ]);
    const send = (index: number, from: number, to: number) =>
      ada.put(uploadInstructions[index]?.uploadUrl ?? "", bytes.slice(from, to), false);
    expect(await codeOf(await send(0, 0, PART - 1))).toBe("400 ILLEGAL_ARGUMENT");
    const answers = await Promise.all([send(2, 2 * PART, 2 * PART + 10), send(0, 0, PART), send(1, PART, 2 * PART)]);
    const [third = "", first = "", second = ""] = answers.map((answer) =>
      (answer.headers.get("etag") ?? "").replaceAll('"', ""),
    );
    expect(await status(video)).toBe("WAITING_UPLOAD");
    for (const [ids, token] of [
      [[first, second], ""],
      [[second, first, third], ""],
      [[first, second, third], "x"],
    ] as const) {
      expect(await codeOf(await ada.finalize(video, ids, token))).toBe("400 ILLEGAL_ARGUMENT");
    }
    expect((await ada.finalize(video, [first, second, third])).status).toBe(200);
    pass(2000);
    await create(postOf("long", { content: { media: { id: video } } }));
    expect((await bookOf("linkedin", "ada")).at(-1)?.media[0]?.sha256).toBe(await sha256Hex(bytes));
  });

  test("cannot stand among images, be over 500 MB, or be somebody else's", async ({ expect }) => {
    const urn = await ada.video(film);
    const picture = await ada.image(jpeg);
    pass(2000);
    const mixed = { content: { multiImage: { images: [{ id: urn }, { id: picture }] } } };
    expect(await codeOf(await create(postOf("both", mixed)))).toBe("400 INVALID_URN_ID");
    const initializeUploadRequest = { owner: ADA, fileSizeBytes: 500 * 1024 * 1024 + 1 };
    expect(await codeOf(await ada.rest("POST", "videos?action=initializeUpload", { initializeUploadRequest }))).toBe(
      "400 INVALID_VALUE_FOR_FIELD",
    );
    const ben = await person({ login: "ben" });
    expect(await codeOf(await ben.rest("GET", `videos/${encodeURIComponent(urn)}`))).toBe("404 NOT_FOUND");
    expect(await codeOf(await ben.finalize(urn, []))).toBe("400 INVALID_VIDEO_ID");
  });

  test("may fail to be processed", async ({ expect }) => {
    await settings("linkedin", { fail_processing: true });
    const urn = await ada.video(film);
    pass(2000);
    expect(await status(urn)).toBe("PROCESSING_FAILED");
    expect(await codeOf(await create(postOf("x", { content: { media: { id: urn } } })))).toBe(
      "400 MEDIA_ASSET_PROCESSING_FAILED",
    );
  });
});

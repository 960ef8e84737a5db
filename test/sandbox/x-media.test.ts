import { describe, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import { bookOf, sample, settings } from "./help.ts";
import { person, type XPerson } from "./x-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
await settings("x", { processing_ms: 4000 });

const MIB = 1024 * 1024;
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const ada = await person("ada");
const ben = await person("ben");

interface Uploaded {
  readonly data: {
    readonly id: string;
    readonly media_key: string;
    readonly size?: number;
    readonly expires_after_secs: number;
    readonly image?: object;
    readonly processing_info?: { readonly state: string; readonly check_after_secs?: number; readonly error?: object };
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

const at = (who: XPerson, method: string, path: string, body?: unknown) => who.api(method, `/2/media/${path}`, body);
const statusOf = async (who: XPerson, id: string): Promise<Uploaded["data"]> =>
  (await (await at(who, "GET", `upload?command=STATUS&media_id=${id}`)).json<Uploaded>()).data;

function image(bytes: Bytes, category = "tweet_image"): FormData {
  const form = new FormData();
  form.set("media", new Blob([bytes]), "picture");
  form.set("media_category", category);
  return form;
}

async function upload(who: XPerson, name: string): Promise<string> {
  const answer = await at(who, "POST", "upload", image(await sample(name)));
  return (await answer.json<Uploaded>()).data.id;
}

const begin = (who: XPerson, type: string, category: string, totalBytes: unknown) =>
  at(who, "POST", "upload/initialize", { media_type: type, media_category: category, total_bytes: totalBytes });

function segment(bytes: Bytes, index: unknown, name = "part"): FormData {
  const form = new FormData();
  form.set("media", new Blob([bytes]), name);
  form.set("segment_index", String(index));
  return form;
}

/** All three calls of a chunked upload. */
async function chunked(who: XPerson, bytes: Bytes, type = "video/mp4", name = "part"): Promise<string> {
  const category = type === "image/gif" ? "tweet_gif" : "tweet_video";
  const { data } = await (await begin(who, type, category, bytes.length)).json<Uploaded>();
  for (let index = 0; index * MIB < bytes.length; index += 1) {
    await at(
      who,
      "POST",
      `upload/${data.id}/append`,
      segment(bytes.slice(index * MIB, (index + 1) * MIB), index, name),
    );
  }
  await at(who, "POST", `upload/${data.id}/finalize`);
  return data.id;
}

const post = (who: XPerson, ids: string[], text = "") => who.publish({ text, media: { media_ids: ids } });

/** The sample with another length in its header: a movie of that many seconds as far as anybody can tell. */
async function movieOf(seconds: number): Promise<Bytes> {
  const bytes = await sample("portrait.mp4");
  const at = new TextDecoder("latin1").decode(bytes).indexOf("mvhd");
  const view = new DataView(bytes.buffer);
  view.setUint32(at + 20, Math.round(seconds * view.getUint32(at + 16)));
  return bytes;
}

describe("an image in one call", () => {
  test.for([
    ["portrait.jpg", "image/jpeg", 1080, 1350],
    ["square.png", "image/png", 800, 800],
    ["landscape.webp", "image/webp", 1200, 630],
  ] as const)("%s", async ([name, type, w, h], { expect }) => {
    const bytes = await sample(name);
    const answer = await at(ada, "POST", "upload", image(bytes));
    expect(answer.status).toBe(200);
    const { data } = await answer.json<Uploaded>();
    expect(data).toEqual({
      id: data.id,
      media_key: `3_${data.id}`,
      size: bytes.length,
      expires_after_secs: 86_400,
      image: { image_type: type, w, h },
    });
    expect((await at(ada, "GET", `upload?command=STATUS&media_id=${data.id}`)).status).toBe(400);
    expect((await post(ada, [data.id], name)).status).toBe(201);
    expect((await bookOf("x", "ada")).at(-1)).toMatchObject({
      kind: "image",
      media: [{ type: "image", sha256: await sha256Hex(bytes) }],
    });
  });

  test("also as base64 in JSON, with an alternative text", async ({ expect }) => {
    const media = btoa(String.fromCharCode(...(await sample("landscape.webp"))));
    const { data } = await (await at(ada, "POST", "upload", { media, media_category: "tweet_image" })).json<Uploaded>();
    const alt = { id: data.id, metadata: { alt_text: { text: "a red box" } } };
    expect((await at(ada, "POST", "metadata", alt)).status).toBe(200);
    alt.metadata.alt_text.text = "x".repeat(1001);
    expect((await at(ada, "POST", "metadata", alt)).status).toBe(400);
    await post(ada, [data.id]);
    expect((await bookOf("x", "ada")).at(-1)).toMatchObject({ text: "", options: { alt_texts: ["a red box"] } });
  });

  test("refuses what is no image, is too large, or has no category", async ({ expect }) => {
    const jpeg = await sample("portrait.jpg");
    const large = new Uint8Array(5 * MIB + 1);
    large.set(jpeg);
    const bad = [image(await sample("page.jpg")), image(await sample("portrait.mp4")), image(large), image(jpeg, "")];
    for (const form of bad) {
      expect((await at(ada, "POST", "upload", form)).status).toBe(400);
    }
    expect((await at(ada, "POST", "upload", { media_category: "tweet_image", media: "%%%" })).status).toBe(400);
  });
});

describe("a chunked upload", () => {
  test("is pending, then in progress, then ready; the post has its bytes", async ({ expect }) => {
    const bytes = await sample("landscape.mp4");
    const begun = await begin(ada, "video/mp4", "tweet_video", bytes.length);
    const { data } = await begun.json<Uploaded>();
    expect(data).toEqual({ id: data.id, media_key: `7_${data.id}`, expires_after_secs: 86_400 });
    const half = Math.floor(bytes.length / 2);
    // In any order, and one of them twice.
    for (const [index, part] of [
      [1, bytes.slice(half)],
      [0, bytes.slice(0, half)],
      [1, bytes.slice(half)],
    ] as const) {
      const appended = await at(ada, "POST", `upload/${data.id}/append`, segment(part, index));
      expect(await appended.json()).toEqual({ data: { expires_at: Math.floor(Date.now() / 1000) + 86_400 } });
    }
    const finalized = await (await at(ada, "POST", `upload/${data.id}/finalize`)).json<Uploaded>();
    expect(finalized.data).toMatchObject({
      size: bytes.length,
      processing_info: { state: "pending", check_after_secs: 4 },
    });
    expect((await post(ada, [data.id], "too early")).status).toBe(400);
    pass(2500);
    expect((await statusOf(ada, data.id)).processing_info).toMatchObject({ state: "in_progress" });
    pass(1500);
    expect((await statusOf(ada, data.id)).processing_info).toMatchObject({ state: "succeeded" });
    const created = await post(ada, [data.id], "a film");
    expect(created.status).toBe(201);
    expect((await created.json<{ data: { text: string } }>()).data.text).toMatch(/^a film https:\/\/t\.co\/\w{10}$/);
    expect((await bookOf("x", "ada")).at(-1)).toMatchObject({
      kind: "video",
      media: [{ type: "video", sha256: await sha256Hex(bytes) }],
    });
    const read = await ada.api("GET", "/2/users/2244994945/tweets?max_results=5&tweet.fields=entities,attachments");
    expect((await read.json<{ data: object[] }>()).data[0]).toMatchObject({
      attachments: { media_keys: [`7_${data.id}`] },
      entities: { urls: [{ expanded_url: expect.stringMatching(/\/video\/1$/) as string }] },
    });
  });

  test("takes an animated GIF as one", async ({ expect }) => {
    const id = await chunked(ada, await sample("animation.gif"), "image/gif");
    pass(4000);
    expect((await statusOf(ada, id)).media_key).toBe(`16_${id}`);
    expect((await post(ada, [id], "moves")).status).toBe(201);
    expect((await bookOf("x", "ada")).at(-1)).toMatchObject({ kind: "gif", media: [{ type: "image" }] });
  });

  test.for<[type: string, category: string, size: unknown]>([
    ["video/x-msvideo", "tweet_video", 10],
    ["image/gif", "tweet_video", 10],
    ["video/mp4", "tweet_film", 10],
    ["video/mp4", "tweet_video", 0],
    ["video/mp4", "tweet_video", "10"],
    ["video/mp4", "tweet_video", 512 * MIB + 1],
    ["image/gif", "tweet_gif", 15 * MIB + 1],
  ])("cannot begin with %s as %s of %s bytes", async ([type, category, size], { expect }) => {
    expect((await begin(ada, type, category, size)).status).toBe(400);
  });

  test("segments: 0 to 999, at most 1 MiB, only while it is open", async ({ expect }) => {
    const { data } = await (await begin(ada, "video/mp4", "tweet_video", 8)).json<Uploaded>();
    const append = async (form: FormData) => at(ada, "POST", `upload/${data.id}/append`, form);
    for (const index of [-1, 1000, 1.5, "first", ""]) {
      expect((await append(segment(new Uint8Array(4), index))).status).toBe(400);
    }
    const large = await append(segment(new Uint8Array(MIB + 1), 0));
    expect([large.status, await large.text()]).toEqual([413, ""]);
    expect((await append(segment(new Uint8Array(4), 0))).status).toBe(200);
    expect((await at(ada, "POST", `upload/${data.id}/finalize`)).status).toBe(400);
    expect((await append(segment(new Uint8Array(4), 2))).status).toBe(200);
    expect((await at(ada, "POST", `upload/${data.id}/finalize`)).status).toBe(400);
    expect((await at(ben, "POST", `upload/${data.id}/append`, segment(new Uint8Array(4), 1))).status).toBe(404);
    expect((await at(ben, "POST", `upload/${data.id}/finalize`)).status).toBe(404);
    await settings("x", { append_max_bytes: 3 });
    expect((await append(segment(new Uint8Array(4), 1))).status).toBe(413);
    await settings("x", { append_max_bytes: null });
  });

  test("fails in processing for what is no film, or when its name asks for it", async ({ expect }) => {
    const film = await sample("portrait.mp4");
    const marked = new Uint8Array([...film, ...new TextEncoder().encode("#sim-fail")]);
    const failing = [
      await chunked(ada, await sample("page.jpg")),
      await chunked(ada, await movieOf(0.4)),
      await chunked(ada, film, "video/mp4", "sim-fail.mp4"),
      await chunked(ada, marked),
      await chunked(ada, await sample("square.png"), "image/gif"),
    ];
    pass(4000);
    for (const id of failing) {
      expect((await statusOf(ada, id)).processing_info).toMatchObject({
        state: "failed",
        error: { code: expect.any(Number) as number, name: expect.any(String) as string },
      });
      expect((await post(ada, [id], "failed film")).status).toBe(400);
    }
  });

  test("a film over 140 seconds is refused at the post, unless the person has Premium", async ({ expect }) => {
    const film = await movieOf(141);
    const [short, theirs, mine] = [
      await chunked(ben, await movieOf(140)),
      await chunked(ben, film),
      await chunked(ada, film),
    ];
    pass(4000);
    const refused = await post(ben, [theirs], "long film");
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("video longer than 2 minutes");
    expect((await post(ben, [short], "short film")).status).toBe(201);
    expect((await post(ada, [mine], "long film")).status).toBe(201);
  });
});

describe("a post with media", () => {
  const invalid = async (answer: Response): Promise<boolean> =>
    answer.status === 400 && (await answer.text()).includes("Your media IDs are invalid.");

  test("takes up to four images in the order given", async ({ expect }) => {
    const names = ["square.png", "portrait.jpg", "landscape.webp", "square.png"];
    const ids: string[] = [];
    for (const name of names) {
      ids.push(await upload(ada, name));
    }
    expect((await post(ada, ids, "four")).status).toBe(201);
    const hashes = await Promise.all(names.map(async (name) => sha256Hex(await sample(name))));
    expect((await bookOf("x", "ada")).at(-1)?.media.map((item) => item.sha256)).toEqual(hashes);
  });

  test("refuses media that is unknown, someone else's, mixed, named twice or a day old", async ({ expect }) => {
    const mine = await upload(ada, "portrait.jpg");
    const film = await chunked(ada, await sample("portrait.mp4"));
    const theirs = await upload(ben, "portrait.jpg");
    pass(4000);
    expect(await invalid(await post(ada, ["1900000000000000001"], "unknown"))).toBe(true);
    expect(await invalid(await post(ada, [theirs], "theirs"))).toBe(true);
    expect(await invalid(await post(ada, [mine, film], "mixed"))).toBe(true);
    expect(await invalid(await post(ada, [mine, mine], "twice"))).toBe(true);
    expect((await post(ada, [mine], "once")).status).toBe(201);
    pass(86_400_000);
    const later = await person("ada");
    expect(await invalid(await post(later, [mine], "a day later"))).toBe(true);
  });
});

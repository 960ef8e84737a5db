import { env, exports } from "cloudflare:workers";
import { describe, type ExpectStatic, test, vi } from "vitest";
import { sha256Hex } from "#core/encoding.ts";
import type { Platform } from "#core/platform.ts";
import { changeSettings } from "../sandbox/sandbox-api.ts";
import { ORIGIN } from "../support/origin.ts";
import { connectOneAccount } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import { pngPixels } from "../support/png-pixels.ts";
import { ALONE, type Copy, IMAGES, MARKS, TAKES, TURNS } from "./fitting-corpus.ts";
import {
  publishedPosts,
  readPost,
  runAlarmsUntilIdle,
  schedulePost,
  uploadFile,
  useJourneyClock,
} from "./journey-driver.ts";

/* Images that a platform would refuse, as they are when they come from phones and cameras: fitted in the preview and taken by the simulator. */

useJourneyClock("2034-03-01T09:00:00Z");

type Bytes = Uint8Array<ArrayBuffer>;
function bytesOf(name: string): Bytes {
  return IMAGES[name]?.make() ?? new Uint8Array();
}

async function upload(caller: ApiCaller, name: string) {
  const bytes = bytesOf(name);
  return await uploadFile(caller, { name: IMAGES[name]?.filename ?? name, bytes, sha256: await sha256Hex(bytes) });
}

interface Fitted {
  readonly media_index: number;
  readonly reason: string;
  readonly media_item: Copy & { readonly id: string; readonly url: string; readonly sha256: string };
}

const sizesOf = (fitted: readonly Fitted[]) =>
  fitted.map(({ reason, media_item: { width, height, content_type: type } }) => `${reason} ${width}x${height} ${type}`);

const TURNED = TURNS.map((turn) => `turned ${turn}`);
const PAINTED = { upright: "ratio 1440x1800 image/jpeg", lying: "unequal 1440x1800 image/jpeg" };

/** The images of one post, and the copies that are made of them. */
const POSTS: readonly (readonly [platform: Platform, images: readonly string[], fitted: readonly string[]])[] = [
  ["instagram", ["phone"], ["ratio 1440x1800 image/jpeg"]],
  ["instagram", ["panorama"], ["ratio 1440x754 image/jpeg"]],
  ["instagram", ["transparent"], ["ratio 1440x1800 image/jpeg"]],
  [
    "instagram",
    TURNED,
    [...Array.from({ length: 4 }, () => PAINTED.upright), ...Array.from({ length: 4 }, () => PAINTED.lying)],
  ],
  ["instagram", ["p3", "cmyk"], Array.from({ length: 2 }, () => "ratio 1440x1800 image/jpeg")],
  [
    "tiktok",
    ["phone", "panorama", "transparent", "cmyk"],
    [
      "dimensions 1080x1440 image/jpeg",
      "dimensions 1920x384 image/jpeg",
      "dimensions 1080x1620 image/jpeg",
      "dimensions 1080x1440 image/jpeg",
    ],
  ],
  ["facebook", ["19 MB", "avif"], ["bytes 1500x2000 image/jpeg"]],
  ["facebook", ["phone", "panorama", "transparent", "cmyk", "p3"], []],
  ["threads", ["9 MB", "phone", "transparent", "avif"], ["bytes 1440x1920 image/jpeg"]],
  ["x", ["9 MB", "panorama", "cmyk", "transparent"], ["bytes 1500x2000 image/jpeg"]],
  ["linkedin", ["9 MB", "phone"], ["bytes 1500x2000 image/jpeg"]],
  ["pinterest", ["phone", "panorama", "p3"], ["unequal 1500x2000 image/jpeg", "unequal 1500x2000 image/jpeg"]],
];

describe("a post whose images do not fit", () => {
  test.for(POSTS)("%s takes %j fitted", { timeout: 120_000 }, async ([platform, names, expected], { expect }) => {
    await changeSettings(platform, {});
    const caller = await createCaller();
    const account = await connectOneAccount(caller, platform);
    const media_items = [];
    for (const name of names) {
      media_items.push(await upload(caller, name));
    }
    const before = await publishedPosts(platform);
    const platform_options = platform === "pinterest" ? { board_ids: await boardsOf(caller, account.id) } : {};
    const { post, preview } = await schedulePost(caller, {
      caption: `Fitted ${crypto.randomUUID()}`,
      media_items,
      targets: [{ account_id: account.id, platform_options }],
    });
    const [target] = preview.targets as unknown as readonly { readonly fitted: readonly Fitted[] }[];
    expect(sizesOf(target?.fitted ?? [])).toEqual(expected);
    await runAlarmsUntilIdle([post]);
    const read = await readPost(caller, post.id);
    expect(read.targets).toMatchObject([{ status: "published", error: null }]);
    // The post keeps its own images; the account has the copies in their places.
    expect(read.media_items).toHaveLength(names.length);
    const sent = (await publishedPosts(platform)).slice(before.length).flatMap(({ media }) => media);
    const copies = new Map(target?.fitted.map((item) => [item.media_index, item.media_item]));
    for (const [index, { sha256 }] of sent.entries()) {
      const copy = copies.get(index);
      const stored = copy ?? media_items[index];
      const bytes = await (await exports.default.fetch(new Request(new URL(stored?.url ?? "", ORIGIN)))).bytes();
      expect(sha256).toBe(await sha256Hex(bytes as Bytes));
    }
  });
});

test("a part of a thread publishes the copy of its image", { timeout: 120_000 }, async ({ expect }) => {
  const caller = await createCaller();
  const account = await connectOneAccount(caller, "x");
  const name = `Fitted part ${crypto.randomUUID()}`;
  const thread = [{ caption: `${name} 2`, media_items: [await upload(caller, "9 MB")] }];
  const { post, preview } = await schedulePost(caller, {
    caption: name,
    targets: [{ account_id: account.id, platform_options: { thread } }],
  });
  const [target] = preview.targets as unknown as readonly { readonly fitted: readonly (Fitted & { part: number })[] }[];
  expect(sizesOf(target?.fitted ?? [])).toEqual(["bytes 1500x2000 image/jpeg"]);
  expect(target?.fitted[0]?.part).toBe(1);
  await runAlarmsUntilIdle([post]);
  expect((await readPost(caller, post.id)).targets).toMatchObject([{ status: "published", error: null }]);
  const sent = (await publishedPosts("x")).find(({ text }) => text === `${name} 2`);
  expect(sent?.media.map(({ sha256 }) => sha256)).toEqual([target?.fitted[0]?.media_item.sha256]);
});

async function boardsOf(caller: ApiCaller, accountId: string): Promise<readonly string[]> {
  const { body } = await callApi(caller, { method: "GET", path: `/accounts/pinterest-boards?account_id=${accountId}` });
  return [body.boards[0].id];
}

/** In which corner of the picture its white mark is; the border that may have been added is white too and left out. */
async function markOf(image: Bytes): Promise<string> {
  const small = await env
    .IMAGES!.input(new Blob([image]).stream())
    .transform({ width: 48, height: 48, fit: "contain" })
    .output({ format: "image/png" });
  const rows = await pngPixels(new Uint8Array(await small.response().arrayBuffer()));
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  const isInside = (at: number, length: number) => at > length * 0.09 && at < length * 0.91;
  const white = rows.flatMap((row, y) =>
    row.flatMap((pixel, x) =>
      isInside(x, width) && isInside(y, height) && Math.min(...pixel) > 200 ? [[x / width, y / height] as const] : [],
    ),
  );
  const mean = (axis: 0 | 1) => white.reduce((sum, point) => sum + point[axis], 0) / white.length;
  return `${mean(1) < 0.5 ? "top" : "bottom"} ${mean(0) < 0.5 ? "left" : "right"}`;
}

/** `npm run fitting`; the posts above are some of these, several in one post. */
describe.runIf(import.meta.env["VITE_FITTING"] === "all")("every image alone", () => {
  test.for(Object.entries(ALONE) as [Platform, Readonly<Record<string, string>>][])(
    "on %s",
    { timeout: 900_000 },
    async ([platform, expected], { expect }) => {
      await changeSettings(platform, {});
      const caller = await createCaller();
      const account = await connectOneAccount(caller, platform);
      const options = platform === "pinterest" ? { board_ids: await boardsOf(caller, account.id) } : {};
      const outcomes: Record<string, string> = {};
      for (const name of Object.keys(expected)) {
        // Platforms limit the posts of a day.
        vi.setSystemTime(Date.now() + 3 * 3_600_000);
        outcomes[name] = await outcomeOf(caller, platform, account.id, options, name, expect);
        // oxlint-disable-next-line no-console -- the command shows how far it is
        console.log(`| ${platform} | ${name} | ${outcomes[name]} |`);
      }
      expect(outcomes).toEqual(expected);
    },
  );
});

/** Previews the image twice and publishes it: the copy, or why there is none. */
async function outcomeOf(
  caller: ApiCaller,
  platform: Platform,
  accountId: string,
  platform_options: object,
  name: string,
  expect: ExpectStatic,
): Promise<string> {
  const media_items = [await upload(caller, name)];
  const body = {
    caption: `Alone ${crypto.randomUUID()}`,
    scheduled_at: new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000).toISOString(),
    media_items,
    targets: [{ account_id: accountId, platform_options }],
  };
  const first = await callApi(caller, { method: "POST", path: "/posts/preview", body });
  if (first.status === 400) {
    return first.body.details.map(({ code }: { code: string }) => code).join(", ");
  }
  const countFits = async () =>
    await env.DB.prepare("SELECT count(*) AS n FROM media_fits WHERE workspace_id = ?")
      .bind(caller.workspaceId)
      .first("n");
  const before = { fits: await countFits(), posts: (await publishedPosts(platform)).length };
  const { post, preview } = await schedulePost(caller, body);
  const [{ fitted }] = preview.targets as unknown as readonly [{ readonly fitted: readonly Fitted[] }];
  expect(fitted).toEqual(first.body.preview.targets[0].fitted);
  expect(await countFits()).toBe(before.fits);
  await runAlarmsUntilIdle([post]);
  expect((await readPost(caller, post.id)).targets, name).toMatchObject([{ status: "published", error: null }]);
  const [sent] = (await publishedPosts(platform)).slice(before.posts).flatMap(({ media }) => media);
  const { url } = fitted[0]?.media_item ?? media_items[0] ?? { url: "" };
  const bytes = (await (await exports.default.fetch(new Request(new URL(url, ORIGIN)))).bytes()) as Bytes;
  expect(sent?.sha256).toBe(await sha256Hex(bytes));
  const mark = MARKS[name];
  if (mark !== undefined) {
    expect(await markOf(bytes), name).toBe(mark);
  }
  const [copy] = fitted;
  if (copy === undefined) {
    return "as it is";
  }
  expect(TAKES[platform]?.(copy.media_item), `${platform} ${name}`).toBe(true);
  expect(new TextDecoder("latin1").decode(bytes)).not.toContain("Exif");
  return `${copy.reason} ${copy.media_item.width}x${copy.media_item.height}`;
}

describe("a preview", () => {
  const preview = async (caller: ApiCaller, accountId: string, url: string, platform_options: object) =>
    await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "Fitted",
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
        media_urls: [url],
        targets: [{ account_id: accountId, platform_options }],
      },
    });

  test("pads, cuts or refuses as the post says, and makes each copy once", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "instagram");
    const { url } = await upload(caller, "panorama");
    const fitted = async (options: object) =>
      (await preview(caller, account.id, url, options)).body.preview.targets[0].fitted;
    const [padded] = await fitted({});
    const [again] = await fitted({ fit: "pad" });
    const [cut] = await fitted({ fit: "crop" });
    expect(padded.media_item).toMatchObject({ width: 1440, height: 754 });
    expect(again.media_item).toEqual(padded.media_item);
    expect(cut.media_item).toMatchObject({ width: 1440, height: 754 });
    expect(cut.media_item.id).not.toBe(padded.media_item.id);
    const rows = await env.DB.prepare("SELECT count(*) AS n FROM media_fits WHERE workspace_id = ?")
      .bind(caller.workspaceId)
      .first("n");
    expect(rows).toBe(2);
    const refused = await preview(caller, account.id, url, { fit: "none" });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ code: "media_aspect_ratio" }] } });
    const unknown = await preview(caller, account.id, url, { fit: "stretch" });
    expect(unknown).toMatchObject({ status: 400, body: { details: [{ code: "option_invalid" }] } });
  });

  test("of many posts makes each copy once, and the copies are what the posts publish", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "instagram");
    const { url } = await upload(caller, "panorama");
    const postOf = (caption: string, options: object) => ({
      caption,
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      media_urls: [url],
      targets: [{ account_id: account.id, platform_options: options }],
    });
    const bulk = async (step: string, body: object) =>
      (await callApi(caller, { method: "POST", path: `/posts/bulk/${step}`, body })).body;
    const { preview: shown, confirmation_token } = await bulk("preview", {
      posts: [postOf("One", {}), postOf("Two", {}), postOf("Three", { fit: "none" })],
      skip_invalid: true,
    });
    expect(shown.posts[2].problems).toMatchObject([{ code: "media_aspect_ratio" }]);
    const copies = shown.posts
      .slice(0, 2)
      .map((row: { preview: { targets: { fitted: Fitted[] }[] } }) =>
        row.preview.targets[0]?.fitted.map(({ media_item: item }) => item),
      );
    expect(copies[0]).toMatchObject([{ width: 1440, height: 754 }]);
    expect(copies[1]).toEqual(copies[0]);
    const rows = await env.DB.prepare("SELECT count(*) AS n FROM media_fits WHERE workspace_id = ?")
      .bind(caller.workspaceId)
      .first("n");
    expect(rows).toBe(1);
    const { posts } = await bulk("confirm", { confirmation_token });
    for (const { id } of posts) {
      expect((await readPost(caller, id)).targets).toMatchObject([{ media_items: copies[0] }]);
    }
  });

  test("of an image over 20 MB is refused as before and says why", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "instagram");
    const bytes = bytesOf("21 MB");
    const { url } = await uploadFile(caller, { name: "huge.jpg", bytes, sha256: await sha256Hex(bytes) });
    const refused = await preview(caller, account.id, url, {});
    expect(refused.status).toBe(400);
    expect(refused.body.details).toMatchObject([
      { code: "media_too_large", param: "media_urls[0]" },
      { code: "fit_unavailable", param: "media_urls[0]", message: expect.stringContaining("20 MB") },
    ]);
  });

  test("an edit that changes the images makes the copies anew, and one that changes the time keeps them", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "instagram");
    const media_items = [await upload(caller, "panorama")];
    const { post } = await schedulePost(caller, { caption: "Wide", media_items, account_ids: [account.id] });
    const first = (await readPost(caller, post.id)).targets[0] as unknown as { media_items: readonly { id: string }[] };
    expect(first.media_items).toHaveLength(1);
    const edit = async (change: object) => {
      const { body } = await callApi(caller, {
        method: "POST",
        path: "/posts/edit/preview",
        body: { post_ids: [post.id], ...change },
      });
      const { confirmation_token } = body;
      await callApi(caller, { method: "POST", path: "/posts/edit/confirm", body: { confirmation_token } });
      const [target] = (await readPost(caller, post.id)).targets as unknown as { media_items: unknown }[];
      return target?.media_items;
    };
    expect(await edit({ shift_minutes: 60 })).toEqual(first.media_items);
    const { url } = await upload(caller, "phone");
    expect(await edit({ media_urls: [url] })).toMatchObject([{ width: 1440, height: 1800 }]);
    expect(await edit({ target_options: [{ account_id: account.id, platform_options: { fit: "none" } }] })).toBeNull();
    const uses = await env.DB.prepare("SELECT count(*) AS n FROM post_media WHERE post_id = ?")
      .bind(post.id)
      .first("n");
    expect(uses).toBe(1);
  });
});

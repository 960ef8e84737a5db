import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createDraft } from "#drafts/index.ts";
import { importMedia, listMedia } from "#media/index.ts";
import type { Context } from "#context.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { createServiceFixture, ORIGIN, signInNewUser } from "../auth/service-fixture.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { pdf } from "../media/pdf.ts";
import { concatBytes, sample } from "../media/samples.ts";

const files = new Map<string, Uint8Array<ArrayBuffer>>();
const service = createServiceFixture(
  {},
  {
    platformFetch: () => Promise.reject(new TypeError("no platforms here")),
    publicFetch: async ({ url }) => {
      const bytes = files.get(url);
      return bytes ? new Response(bytes) : new Response("nothing here", { status: 404 });
    },
    browserUrl: (url) => url,
    trustedMediaOrigin: null,
  },
);

function uniqueBytes(): Uint8Array<ArrayBuffer> {
  return concatBytes(sample("photo.jpg"), crypto.randomUUID());
}

function fileAt(bytes: Uint8Array<ArrayBuffer> = uniqueBytes()): string {
  const url = `https://files.example.net/${crypto.randomUUID()}.jpg`;
  files.set(url, bytes);
  return url;
}

async function signIn() {
  const user = await signInNewUser(service);
  const row = await env.DB.prepare("SELECT active_workspace_id AS id FROM users WHERE id = ?")
    .bind(user.userId)
    .first<{ id: string }>();
  const ctx: Context = {
    ...service.services,
    actor: {
      userId: user.userId,
      workspaceId: row?.id ?? "",
      plan: "scale",
      limits: PLAN_LIMITS.scale,
      subscribed: true,
      scopes: SCOPES,
      credential: { kind: "session", id: "x" },
      via: "dashboard",
      timeZone: "UTC",
      recordsEvents: false,
      workspaceFrom: "user",
      isTrial: false,
    },
  };
  const send = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    service.fetch(path, {
      method: "POST",
      body,
      headers: { origin: ORIGIN, cookie: `__Host-session=${user.browser.session ?? ""}`, ...headers },
    });
  const library = async () => (await listMedia(ctx, { before: null })).items;
  return { ...user, ctx, send, library };
}

type User = Awaited<ReturnType<typeof signIn>>;

async function importPhotos({ ctx }: User, count: number) {
  const urls = Array.from({ length: count }, () => fileAt());
  return importMedia(
    { ...ctx, outbound: { ...ctx.outbound, publicFetch: async ({ url }) => new Response(files.get(url)) } },
    { urls },
  );
}

async function insertPost({ ctx }: User, mediaId: string): Promise<string> {
  const id = crypto.randomUUID();
  const at = Date.parse("2026-12-03T08:05:00Z");
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms, plan_hash,
         confirm_hash, created_via, created_at, updated_at)
       VALUES (?, ?, ?, 'scheduled', ?, 1, 'image', 'x', '[]', '[]', 'x', 'x', 'api', 1, 1)`,
    ).bind(id, ctx.actor.workspaceId, ctx.actor.userId, at),
    env.DB.prepare("INSERT INTO post_media (media_id, post_id) VALUES (?, ?)").bind(mediaId, id),
  ]);
  return id;
}

function formOf(...parts: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer> | string])[]): FormData {
  const form = new FormData();
  for (const [name, bytes] of parts) {
    form.append("file", new File([bytes], name));
  }
  return form;
}

const FORM = "/dashboard/media/uploads/form";
const textOf = async (response: Response) =>
  (await response.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("GET /dashboard/media", () => {
  test("an empty library says what to do", async ({ expect }) => {
    const { browser } = await signIn();
    expect(await textOf(await browser.get("/dashboard/media"))).toContain("Nothing here yet.");
  });

  test("shows size, dimensions and use of each item, and offers to delete only what no post uses", async ({
    expect,
  }) => {
    const user = await signIn();
    const [used, unused] = await importPhotos(user, 2);
    const postId = await insertPost(user, used!.id);
    const html = await (await user.browser.get("/dashboard/media")).text();
    expect(html).toContain(`${used!.width} × ${used!.height}`);
    expect(html).toContain(`width="${used!.width}" height="${used!.height}"`);
    expect(html).toContain(`href="/dashboard/posts/${postId}"`);
    expect(html).toMatch(/3 Dec 2026/);
    expect(html).toContain("Times are in");
    expect(html).not.toContain(`/dashboard/media/${used!.id}/delete`);
    expect(html).toContain(`action="/dashboard/media/${unused!.id}/delete"`);
  });

  test("shows a document with its pages and its address, and offers it for no media", async ({ expect }) => {
    const user = await signIn();
    const [document] = await importMedia(user.ctx, { urls: [fileAt(pdf({ pages: 9, salt: crypto.randomUUID() }))] });
    const html = await (await user.browser.get("/dashboard/media")).text();
    expect(html).toMatch(/PDF · 9 pages · \d+/);
    expect(html).toContain(`value="${document!.url}"`);
    expect(html).not.toContain("Use in a new post");
    const composer = await (await user.browser.get("/dashboard/posts/new")).text();
    expect(composer).not.toContain(document!.url);
  });

  test("has pages", async ({ expect }) => {
    const user = await signIn();
    for (let page = 0; page < 5; page += 1) {
      await importPhotos(user, 10);
    }
    const first = await (await user.browser.get("/dashboard/media")).text();
    const next = /\/dashboard\/media\?before=[^"]+/.exec(first)?.[0] ?? "";
    const second = await (await user.browser.get(next)).text();
    expect(first.match(/class="media-item"/g)).toHaveLength(48);
    expect(second.match(/class="media-item"/g)).toHaveLength(2);
    expect(second).not.toContain("?before=");
  });

  test("is two round trips to the database: the session and the page", async ({ expect }) => {
    const user = await signIn();
    await importPhotos(user, 3);
    const counting = countingD1(env.DB);
    const counted = createServiceFixture({ DB: counting.d1 });
    await counted.fetch("/dashboard/media", { headers: { cookie: `__Host-session=${user.browser.session ?? ""}` } });
    expect(counting.count.roundTrips).toBe(2);
  });

  test("allows videos of its own origin only", async ({ expect }) => {
    const { browser } = await signIn();
    expect((await browser.get("/dashboard/media")).headers.get("content-security-policy")).toContain(
      "media-src 'self';",
    );
  });

  test("with x-fragment it is the library alone", async ({ expect }) => {
    const { browser } = await signIn();
    const html = await (await browser.get("/dashboard/media", { "x-fragment": "1" })).text();
    expect(html).not.toContain("<html");
    expect(html).toContain("media-storage");
  });
});

describe("a form with files", () => {
  test("stores one and several files", async ({ expect }) => {
    const user = await signIn();
    const one = await user.send(FORM, formOf(["beach.jpg", uniqueBytes()]));
    expect([one.status, one.headers.get("location")]).toEqual([303, "/dashboard/media?done=uploaded"]);
    await user.send(
      FORM,
      formOf(["a.jpg", uniqueBytes()], ["b.mp4", sample("moov-last.mp4")], ["c.png", sample("photo.png")]),
    );
    expect((await user.library()).map(({ filename }) => filename).toSorted()).toEqual([
      "a.jpg",
      "b.mp4",
      "beach.jpg",
      "c.png",
    ]);
    expect(await textOf(await user.browser.get("/dashboard/media?done=uploaded"))).toContain(
      "Your files are in the library.",
    );
  });

  test("without a file it says so", async ({ expect }) => {
    const user = await signIn();
    for (const body of [formOf(["", ""]), new FormData(), new URLSearchParams({ file: "x" })]) {
      const response = await user.send(FORM, body);
      expect(response.status).toBe(400);
      expect(await textOf(response)).toContain("Choose the files to upload.");
    }
  });

  test("a refused file is named, and the others are stored", async ({ expect }) => {
    const user = await signIn();
    const response = await user.send(
      FORM,
      formOf(
        ["notes.txt", "only text"],
        ["good.jpg", uniqueBytes()],
        ["empty.png", ""],
        ["<b>evil</b>.html", "<script>"],
      ),
    );
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).not.toContain("<b>evil</b>");
    expect(html).toContain("&lt;b&gt;evil&lt;/b&gt;.html");
    const text = html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    expect(text).toContain("1 file is in the library.");
    expect(text).toMatch(/notes\.txt: /);
    expect(text).toMatch(/empty\.png: The file is empty\./);
    expect((await user.library()).map(({ filename }) => filename)).toEqual(["good.jpg"]);
    expect((await env.MEDIA.list({ prefix: "incoming/" })).objects).toEqual([]);
  });

  test("a hostile filename becomes a safe one", async ({ expect }) => {
    const user = await signIn();
    await user.send(FORM, formOf(['../../"a\r\nSet-Cookie: x=1;.jpg', uniqueBytes()]));
    expect((await user.library())[0]?.filename).toMatch(/^[A-Za-z0-9_-]+\.jpg$/);
  });

  test("an image above its limit ends its transfer, and leaves nothing", async ({ expect }) => {
    const user = await signIn();
    const response = await user.send(
      FORM,
      formOf(["big.jpg", concatBytes(sample("photo.jpg"), new Uint8Array(33 * 1024 ** 2))]),
    );
    expect(await textOf(response)).toMatch(/big\.jpg: The image has more than 32 MiB/);
    expect(await user.library()).toEqual([]);
    expect((await env.MEDIA.list({ prefix: "incoming/" })).objects).toEqual([]);
  });

  test("more than 90 MiB is refused before it is read, or where it exceeds them", async ({ expect }) => {
    const user = await signIn();
    const stated = await user.send(FORM, "x", {
      "content-type": "multipart/form-data; boundary=x",
      "content-length": String(91 * 1024 ** 2),
    });
    expect(stated.status).toBe(413);
    expect(await textOf(stated)).toContain("The files have more than 90 MiB together");
  });

  test("a cut body stores the complete files and nothing else", async ({ expect }) => {
    const user = await signIn();
    const whole = new Response(formOf(["a.jpg", uniqueBytes()], ["b.jpg", uniqueBytes()]));
    const bytes = new Uint8Array(await whole.arrayBuffer());
    const response = await user.send(FORM, bytes.slice(0, bytes.length - 300), {
      "content-type": whole.headers.get("content-type") ?? "",
    });
    expect(response.status).toBe(400);
    expect(await textOf(response)).toContain("The upload was interrupted");
    expect((await user.library()).map(({ filename }) => filename)).toEqual(["a.jpg"]);
    expect((await env.MEDIA.list({ prefix: "incoming/" })).objects).toEqual([]);
  });

  test("a stream of 60 MiB is staged in objects of 4 MiB while it arrives", async ({ expect }) => {
    const user = await signIn();
    let largest = 0;
    const bucket = new Proxy(env.MEDIA, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name === "put") {
          return (key: string, value: unknown, options: R2PutOptions) => {
            largest = Math.max(largest, value instanceof Uint8Array ? value.length : 0);
            return target.put(key, value as ReadableStream, options);
          };
        }
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    const counted = createServiceFixture({ MEDIA: bucket });
    const chunk = new Uint8Array(1024 ** 2);
    let [sent, ahead, staged] = [0, 0, 0];
    const boundary = "b0undary";
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          staged = Math.max(staged, (await env.MEDIA.list({ prefix: "incoming/" })).objects.length);
          ahead = Math.max(ahead, sent - staged * 4);
          if (sent === 0) {
            controller.enqueue(
              concatBytes(
                `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\n\r\n`,
                sample("moov-first.mp4"),
              ),
            );
          }
          if (sent === 60) {
            controller.enqueue(new TextEncoder().encode(`\r\n--${boundary}--\r\n`));
            controller.close();
          } else {
            controller.enqueue(chunk.slice());
          }
          sent += 1;
        },
      },
      { highWaterMark: 0 },
    );
    const response = await counted.fetch(FORM, {
      method: "POST",
      body,
      headers: {
        origin: ORIGIN,
        cookie: `__Host-session=${user.browser.session ?? ""}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
    });
    expect(response.status).toBe(303);
    expect((await user.library())[0]?.sizeBytes).toBe(60 * 1024 ** 2 + sample("moov-first.mp4").length);
    expect(largest).toBe(4 * 1024 ** 2);
    expect(staged).toBeGreaterThanOrEqual(14);
    // Never further ahead of what is stored than the buffer of one object and a few chunks.
    expect(ahead).toBeLessThanOrEqual(8);
  });

  test("needs a session, and a page of this service", async ({ expect }) => {
    const user = await signIn();
    const form = formOf(["a.jpg", uniqueBytes()]);
    const anonymous = await service.fetch(FORM, { method: "POST", body: form, headers: { origin: ORIGIN } });
    expect([anonymous.status, anonymous.headers.get("location")]).toEqual([303, "/login?next=%2Fdashboard"]);
    expect((await user.send(FORM, form, { origin: "https://evil.example" })).status).toBe(403);
    expect(await user.library()).toEqual([]);
  });
});

describe("refusals are sentences", () => {
  test("without a subscription nothing is added", async ({ expect }) => {
    const user = await signIn();
    await env.DB.prepare("UPDATE subscriptions SET status = 'canceled', current_period_end = 1 WHERE user_id = ?")
      .bind(user.userId)
      .run();
    const upload = await user.send(FORM, formOf(["a.jpg", uniqueBytes()]));
    expect(upload.status).toBe(403);
    expect(await textOf(upload)).toContain("choose a plan in the dashboard");
    const imported = await user.browser.post("/dashboard/media/import", { urls: fileAt() });
    expect(await textOf(imported)).toContain("choose a plan in the dashboard");
    const started = await user.send(
      "/dashboard/media/uploads",
      JSON.stringify({ filename: "a.jpg", content_type: "image/jpeg", size_bytes: 5 }),
    );
    expect(started.status).toBe(400);
    expect(await user.library()).toEqual([]);
  });
});

describe("POST /dashboard/media/:id/delete", () => {
  test("deletes what no post uses", async ({ expect }) => {
    const user = await signIn();
    const [item] = await importPhotos(user, 1);
    const response = await user.browser.post(`/dashboard/media/${item!.id}/delete`);
    expect(response.headers.get("location")).toBe("/dashboard/media?done=deleted");
    expect(await user.library()).toEqual([]);
  });

  test("names the posts that use it", async ({ expect }) => {
    const user = await signIn();
    const [item] = await importPhotos(user, 1);
    const postId = await insertPost(user, item!.id);
    const response = await user.browser.post(`/dashboard/media/${item!.id}/delete`);
    expect(response.status).toBe(409);
    const html = await response.text();
    expect(html).toContain("was not deleted: 1 post uses it. Cancel the post or choose another file there first.");
    expect(html).toContain(`/dashboard/posts/${postId}`);
  });

  test("names the drafts that have it", async ({ expect }) => {
    const user = await signIn();
    const [item] = await importPhotos(user, 1);
    const draft = await createDraft(user.ctx, { content: { media_urls: [item!.url] } });
    const library = await (await user.browser.get("/dashboard/media")).text();
    expect(library).toContain("Used in 1 draft");
    expect(library).not.toContain(`/dashboard/media/${item!.id}/delete`);
    const response = await user.browser.post(`/dashboard/media/${item!.id}/delete`);
    expect(response.status).toBe(409);
    const html = await response.text();
    expect(html).toContain("was not deleted: 1 draft uses it. Delete the draft or choose another file there first.");
    expect(html).toContain(`/dashboard/drafts/${draft.id}`);
  });

  test("another user's item is a missing page", async ({ expect }) => {
    const [user, other] = [await signIn(), await signIn()];
    const [item] = await importPhotos(user, 1);
    const theirs = await other.browser.post(`/dashboard/media/${item!.id}/delete`);
    const missing = await other.browser.post(`/dashboard/media/${crypto.randomUUID()}/delete`);
    expect([theirs.status, await theirs.text()]).toEqual([404, await missing.text()]);
    expect(await user.library()).toHaveLength(1);
  });
});

describe("POST /dashboard/media/import", () => {
  test("fetches each line", async ({ expect }) => {
    const user = await signIn();
    const response = await user.browser.post("/dashboard/media/import", { urls: `${fileAt()}\r\n\r\n  ${fileAt()}\n` });
    expect(response.headers.get("location")).toBe("/dashboard/media?done=imported");
    expect(await user.library()).toHaveLength(2);
  });

  test("names the problem of each address, and keeps what was entered", async ({ expect }) => {
    const user = await signIn();
    const missing = "https://files.example.net/missing.jpg";
    const response = await user.browser.post("/dashboard/media/import", { urls: `${fileAt()}\n${missing}\nnonsense` });
    expect(response.status).toBe(400);
    const text = await textOf(response);
    expect(text).toContain(`${missing}: `);
    expect(text).toContain("nonsense: ");
    expect(await user.library()).toEqual([]);
  });

  test.for(["", Array.from({ length: 11 }, () => "https://files.example.net/a.jpg").join("\n")])(
    "1 to 10 addresses",
    async (urls, { expect }) => {
      const { browser } = await signIn();
      const response = await browser.post("/dashboard/media/import", { urls });
      expect(response.status).toBe(400);
      expect(await textOf(response)).toContain("Send 1 to 10 URLs.");
    },
  );
});

describe("uploads of the script", () => {
  const start = (user: User, body: object) =>
    user.send("/dashboard/media/uploads", JSON.stringify(body), { "content-type": "application/json" });

  test("start like those of the API, and the bytes go to the signed URL", async ({ expect }) => {
    const user = await signIn();
    const bytes = uniqueBytes();
    const response = await start(user, { filename: "beach.jpg", content_type: "image/jpeg", size_bytes: bytes.length });
    const { upload, media_item: item } = await response.json<{
      upload: { url: string; parts: null };
      media_item: { url: string };
    }>();
    expect(upload.parts).toBeNull();
    await service.fetch(upload.url, { method: "PUT", body: bytes, headers: { "content-type": "image/jpeg" } });
    expect((await user.library()).map(({ url }) => url)).toEqual([item.url]);
  });

  test("a file without a type has that of its name", async ({ expect }) => {
    const response = await start(await signIn(), { filename: "Film.MOV", content_type: "", size_bytes: 10 });
    expect((await response.json<{ media_item: object }>()).media_item).toMatchObject({ type: "video" });
  });

  test("a HEIC photo is known by its name, and named among what can be sent only where it is taken", async ({
    expect,
  }) => {
    const user = await signIn();
    const photo = { filename: "IMG_1.HEIC", content_type: "", size_bytes: 10 };
    const response = await start(user, photo);
    const { media_item: item } = await response.json<{ media_item: { url: string } }>();
    expect(item.url).toMatch(/\/IMG_1\.jpg$/);
    const unbound = createServiceFixture({ IMAGES: undefined });
    const cookie = `__Host-session=${user.browser.session ?? ""}`;
    const refused = await unbound.fetch("/dashboard/media/uploads", {
      method: "POST",
      body: JSON.stringify(photo),
      headers: { origin: ORIGIN, cookie, "content-type": "application/json" },
    });
    expect(await refused.json()).toEqual({
      error: "This kind of file cannot be used: send JPEG, PNG, WebP and GIF images, MP4, MOV and WebM videos.",
    });
    for (const path of ["/dashboard/media", "/dashboard/posts/new"]) {
      const accepts = async (fetching: typeof unbound) =>
        /accept="([^"]+)"/.exec(await (await fetching.fetch(path, { headers: { cookie } })).text())?.[1];
      expect(await accepts(service)).toMatch(/\.heic,\.heif,.*\.avif/);
      expect(await accepts(unbound)).not.toContain("heic");
    }
  });

  test("an AVIF image of a form is stored as a JPEG", async ({ expect }) => {
    const user = await signIn();
    const form = new FormData();
    form.append("file", new File([sample("place.avif")], "sea.avif", { type: "image/avif" }));
    expect((await user.send(FORM, form)).status).toBe(303);
    expect(await user.library()).toMatchObject([{ filename: "sea.jpg", contentType: "image/jpeg" }]);
  });

  test("a large file has parts, and cancelling releases its storage", async ({ expect }) => {
    const user = await signIn();
    const size = 100 * 1024 ** 2;
    const response = await start(user, { filename: "film.mp4", content_type: "video/mp4", size_bytes: size });
    const { upload } = await response.json<{ upload: { parts: unknown[]; cancel_url: string } }>();
    expect(upload.parts).toHaveLength(2);
    expect((await listMedia(user.ctx, { before: null })).usedBytes).toBe(size);
    expect((await user.send(upload.cancel_url, "")).status).toBe(200);
    expect((await listMedia(user.ctx, { before: null })).usedBytes).toBe(0);
  });

  test.for([{ filename: "a.txt", content_type: "text/plain", size_bytes: 1 }, { filename: 5 }, {}])(
    "refuse %j with a sentence",
    async (body, { expect }) => {
      const response = await start(await signIn(), body);
      expect(response.status).toBe(400);
      expect((await response.json<{ error: string }>()).error).toMatch(/^[A-Z].*\.$/);
    },
  );
});

import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { archivePosts } from "#archive/index.ts";
import { createServices } from "#context.ts";
import { DAY } from "#core/clock.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import { insertPosts, type OldPost } from "../archive/test-context.ts";
import { createServiceFixture, signInNewUser } from "../auth/service-fixture.ts";

const service = createServiceFixture();
const today = new Date();
const OLD = Date.UTC(today.getUTCFullYear() - 2, today.getUTCMonth(), 1);

async function signInWithArchive(posts: readonly OldPost[]) {
  const person = await signInNewUser(service);
  const ids = await insertPosts(person, posts);
  await env.DB.prepare("UPDATE service SET archived_day = 0, archived_to = ''").run();
  await archivePosts(createServices(env, sandboxOutbound(env), () => {}));
  const read = async (path: string) => await (await person.browser.get(path)).text();
  return { ids, read };
}

const captionsIn = (html: string) => [...html.matchAll(/<bdi>(Post \d+)<\/bdi>/g)].map(([, caption]) => caption);

describe("the archive", () => {
  test("is reached from the list, and lists the posts newest first, in pages", async ({ expect }) => {
    const posts = Array.from({ length: 60 }, (_, index) => ({ at: OLD + index * 3_600_000, caption: `Post ${index}` }));
    const { read } = await signInWithArchive(posts);
    expect(await read("/dashboard?view=list")).toContain('href="/dashboard/archive"');
    const month = await read(`/dashboard?view=month&date=${new Date(OLD).toISOString().slice(0, 10)}`);
    expect(month).toContain('Posts that ended long ago are in the <a href="/dashboard/archive">archive</a>');
    const first = await read("/dashboard/archive");
    expect(first).toContain("60 posts.");
    expect(captionsIn(first)).toEqual(Array.from({ length: 50 }, (_, index) => `Post ${59 - index}`));
    expect(first).toContain('href="/dashboard/archive?page=2"');
    const second = await read("/dashboard/archive?page=2");
    expect(captionsIn(second)).toEqual(Array.from({ length: 10 }, (_, index) => `Post ${9 - index}`));
    expect(second).not.toContain("Older");
    expect(captionsIn(await read("/dashboard/archive?page=nonsense"))).toHaveLength(50);
  });

  test("filters by how posts ended", async ({ expect }) => {
    const { read } = await signInWithArchive([
      { at: OLD, caption: "Post 1" },
      { at: OLD + DAY, status: "failed", states: ["failed"], caption: "Post 2" },
    ]);
    expect(captionsIn(await read("/dashboard/archive?status=failed"))).toEqual(["Post 2"]);
    expect(captionsIn(await read("/dashboard/archive?status=paused"))).toEqual(["Post 2", "Post 1"]);
  });

  test("says so while nothing has moved", async ({ expect }) => {
    const { read } = await signInWithArchive([]);
    expect(await read("/dashboard/archive")).toContain("No post has moved here yet.");
  });
});

describe("the page of an archived post", () => {
  test("tells the same as before, and offers no way to change it", async ({ expect }) => {
    const { ids, read } = await signInWithArchive([
      { at: OLD, status: "failed", states: ["failed"], caption: "Post 1" },
    ]);
    const html = await read(`/dashboard/posts/${ids[0]}`);
    expect(html).toContain("Post 1");
    expect(html).toContain("In the archive");
    expect(html).not.toContain(`/dashboard/posts/${ids[0]}/retry`);
    expect(html).not.toContain(`/dashboard/posts/${ids[0]}/edit`);
    expect(html).not.toContain('href="https://almanac.example.org/media/');
    expect(await read(`/dashboard/posts/${ids[0]}/edit`)).toContain("An archived post cannot be edited.");
    expect(await read(`/dashboard/posts/new?duplicate=${ids[0]}`)).toContain("Copy of “Post 1”");
  });
});

import type { HtmlEscapedString } from "hono/utils/html";
import { describe, test } from "vitest";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { PostLikeness } from "#dashboard/likeness/post-likeness.tsx";
import type { MediaItem } from "#posts/index.ts";

function item(overrides: Partial<MediaItem> = {}): MediaItem {
  return {
    id: "0197a000-0000-7000-8000-000000000001",
    type: "image",
    url: "https://media.example.com/a.jpg",
    contentType: "image/jpeg",
    sizeBytes: 1000,
    width: 1000,
    height: 1000,
    durationSeconds: null,
    sha256: "",
    ...overrides,
  };
}

type Props = Parameters<typeof PostLikeness>[0];

async function render(props: Partial<Props>): Promise<string> {
  const all = {
    platform: "x",
    username: "ada",
    caption: "",
    options: {},
    media: [],
    placement: null,
    ...props,
  } as const;
  const element: HtmlEscapedString | Promise<HtmlEscapedString> = <PostLikeness {...all} />;
  return (await element).toString();
}

const HOSTILE = `<img src=x onerror=alert(1)>"'&<script>`;

describe("a likeness", () => {
  test("is named on every platform, and needs no inline style", async ({ expect }) => {
    for (const platform of PLATFORMS) {
      const html = await render({
        platform,
        caption: "Hello",
        media: [item(), item({ type: "video", durationSeconds: 65 })],
      });
      expect(html).toContain(`aria-label="Likeness of the post on ${PLATFORM_NAMES[platform]}"`);
      expect(html).not.toContain("documented");
      expect(html).not.toMatch(/style=|onerror|<script/);
      expect(html).toContain("Video 2 of 2, 1:05");
    }
  });

  test("escapes whatever people and platforms wrote", async ({ expect }) => {
    for (const platform of PLATFORMS) {
      const html = await render({
        platform,
        username: HOSTILE,
        displayName: HOSTILE,
        avatarUrl: `https://a.example/${HOSTILE}`,
        caption: `${HOSTILE} #${HOSTILE} ${"x".repeat(500)}`,
        options: { title: HOSTILE, spoiler_text: HOSTILE, link_card: { uri: "https://a.example", title: HOSTILE } },
        media: [item({ url: `https://a.example/${HOSTILE}` })],
      });
      expect(html).not.toMatch(/<img src=x|<script/);
      expect(html).toContain("&lt;img src=x");
    }
  });

  test("shows the text up to the feed's cut, and the rest behind the feed's words", async ({ expect }) => {
    const html = await render({ caption: `${"a".repeat(280)}b` });
    expect(html).toMatch(/a{280}<details><summary>… Show more<\/summary>b<\/details>/);
    expect(await render({ caption: "a".repeat(280) })).not.toContain("<details>");
  });

  test("marks links, mentions and hashtags, and links nothing", async ({ expect }) => {
    const html = await render({ caption: "See https://example.com/b for #news" });
    expect(html).toContain('<span class="likeness-mark">https://example.com/b</span> for');
    expect(html).toContain('<span class="likeness-mark">#news</span>');
    expect(html).not.toContain("<a ");
  });

  test("crops an image as the platform does, and a short film stands upright", async ({ expect }) => {
    const ratio = async (props: Partial<Props>) => /<svg viewBox="0 0 (\d+) 1000"/.exec(await render(props))?.[1];
    expect(await ratio({ platform: "instagram", media: [item({ width: 900, height: 1600 })] })).toBe("750");
    expect(await ratio({ platform: "instagram", media: [item({ width: 1000, height: 1000 })] })).toBe("1000");
    expect(await ratio({ platform: "pinterest", media: [item({ width: 500, height: 2000 })] })).toBe("667");
    const film = item({ type: "video", width: 1920, height: 1080 });
    expect(await ratio({ platform: "instagram", placement: "reels", media: [film] })).toBe("563");
    expect(await ratio({ platform: "youtube", placement: "long", media: [film] })).toBe("1778");
    expect(await ratio({ platform: "x", media: [item({ width: null, height: null })] })).toBe("1000");
  });

  const ratiosOf = (html: string) => [...html.matchAll(/<svg viewBox="0 0 (\d+) 1000"/g)].map(([, ratio]) => ratio);

  test.for([
    ["x", 2, ["889", "889"]],
    ["x", 3, ["889", "1778", "1778"]],
    ["x", 4, ["1778", "1778", "1778", "1778"]],
    ["bluesky", 2, ["1000", "1000"]],
    ["bluesky", 3, ["1000", "2000", "2000"]],
    ["bluesky", 4, ["1500", "1500", "1500", "1500"]],
    ["mastodon", 3, ["750", "1500", "1500"]],
    ["facebook", 2, ["500", "500"]],
  ] as const)("%s shows %i images side by side", async ([platform, count, ratios], { expect }) => {
    const html = await render({ platform, media: Array.from({ length: count }, () => item()) });
    expect(html).toContain('<ul class="likeness-grid">');
    expect(html).not.toMatch(/likeness-count|tabindex/);
    expect(ratiosOf(html)).toEqual(ratios);
  });

  test.for([
    ["instagram", 3],
    ["threads", 3],
    ["tiktok", 3],
    ["pinterest", 3],
    ["x", 5],
  ] as const)("%s shows %i images one after the other", async ([platform, count], { expect }) => {
    const html = await render({ platform, media: Array.from({ length: count }, () => item()) });
    expect(html).toMatch(/<ul class="likeness-strip" tabindex="0"/);
    expect(html).toContain(`1/${count}`);
  });

  test.for(["facebook", "linkedin"] as const)(
    "%s shows five of more images, and how many follow",
    async (platform, { expect }) => {
      const five = await render({ platform, media: Array.from({ length: 5 }, () => item()) });
      expect(five).toContain('<ul class="likeness-grid collage">');
      expect(ratiosOf(five)).toEqual(["1000", "1000", "1000", "1000", "1000"]);
      expect(five).not.toContain("likeness-count");
      const nine = await render({ platform, media: Array.from({ length: 9 }, () => item()) });
      expect(ratiosOf(nine)).toHaveLength(5);
      expect(nine).toContain("Image 5 of 9");
      expect(nine.match(/likeness-count">([^<]*)</)?.[1]).toBe("+4");
    },
  );

  test("a document is its first page with the title and the number of pages, as far as that is known", async ({
    expect,
  }) => {
    const document = { url: "https://media.example.com/handbook.pdf", title: "Handbook" };
    const counted = await render({ platform: "linkedin", options: { document: { ...document, pages: 12 } } });
    expect(counted).toContain("<b>Handbook</b>");
    expect(counted).toContain("The first page of the document");
    expect(counted).toMatch(/class="likeness-count">1\/12</);
    expect(await render({ platform: "linkedin", options: { document } })).not.toContain("likeness-count");
  });

  test("a card says what is not known of it, and nothing is invented", async ({ expect }) => {
    const unknown = await render({ caption: "See https://example.com/a" });
    expect(unknown).toMatch(/example\.com<p>A card, if that page offers one\. Its title and picture are read when/);
    const article = { url: "https://example.com/a", title: "The release", description: "What is new" };
    const known = await render({ platform: "linkedin", options: { article } });
    expect(known).toContain("example.com<p><b>The release</b></p><p>What is new</p>");
    expect(known).not.toContain("if that page offers one");
  });

  test("shades what the app covers of a reel, a story, a Short and a video at TikTok, and nothing elsewhere", async ({
    expect,
  }) => {
    const film = item({ type: "video", width: 1080, height: 1920 });
    const covered = async (props: Partial<Props>) =>
      / d="M0 0H100V100H0z(M[^"]+)"/.exec(await render({ media: [film], ...props }))?.[1];
    expect(await covered({ platform: "instagram", placement: "reels" })).toBe("M6 14H94V65H6z");
    expect(await covered({ platform: "facebook", placement: "reels" })).toBe("M6 14H94V65H6z");
    expect(await covered({ platform: "instagram", options: { story: true } })).toBe("M0 14H100V80H0z");
    expect(await covered({ platform: "tiktok" })).toBe("M0 12.5H86V66H0z");
    expect(await covered({ platform: "youtube", placement: "short" })).toBe("M4.4 15H82.2V65H4.4z");
    for (const platform of ["x", "bluesky", "youtube", "linkedin"] as const) {
      expect(await covered({ platform })).toBeUndefined();
    }
  });

  test("a thread is its parts, each with what holds for all of them", async ({ expect }) => {
    const thread = [{ caption: "Two" }, { caption: "Three" }];
    const html = await render({ platform: "mastodon", caption: "One", options: { thread, spoiler_text: "Glaze" } });
    expect(html.match(/<div class="likeness-post">/g)).toHaveLength(3);
    expect(html.match(/<b>Glaze<\/b>/g)).toHaveLength(3);
    const quoting = await render({
      caption: "One",
      options: { thread, quote_tweet_url: "https://x.com/ada/status/20" },
    });
    expect(quoting.match(/Quotes https/g)).toHaveLength(1);
  });

  test("an address that was not read yet is not opened", async ({ expect }) => {
    const html = await render({ media: [item({ id: "", url: "https://tracker.example/x.jpg" })] });
    expect(html).not.toContain("tracker.example");
    expect(html).toContain("Not fetched yet");
  });
});

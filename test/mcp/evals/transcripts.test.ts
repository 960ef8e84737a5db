import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { isoInDays } from "../../support/api-workflows.ts";
import { callTool } from "../../support/call-mcp.ts";
import { ORIGIN } from "../../support/origin.ts";
import { createFixture, type Fixture } from "./fixture.ts";

/*
 * Conversations that go well. Every argument but the person's own words is read from the texts of earlier answers, as a model
 * reads them in a host that shows nothing else.
 */

const PHOTO = `${ORIGIN}/sandbox/media/portrait.jpg`;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

function find(text: string, pattern: string): string {
  const found = new RegExp(pattern).exec(text)?.[1];
  expect(found, `${pattern} in ${text}`).toBeDefined();
  return found ?? "";
}

const accountOn = (text: string, platform: string) => find(text, `- (${UUID}): ${platform} .*, active`);
const tokenIn = (text: string) => find(text, "confirmation_token: (\\S+)");
const postIn = (text: string) => find(text, `- (${UUID}): scheduled`);
const wall = (days: number, time: string) => `${isoInDays(days).slice(0, 10)}T${time}`;

/** Reads only the text, which must be that of a success. */
function conversation({ caller }: Fixture) {
  return async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { text, isError } = await callTool(caller, tool, args);
    expect(isError, `${tool}: ${text}`).toBe(false);
    return text;
  };
}

type Say = ReturnType<typeof conversation>;

async function schedule(say: Say, args: Record<string, unknown>): Promise<string> {
  return postIn(await say("confirm_preview", { confirmation_token: tokenIn(await say("preview_post", args)) }));
}

const TRANSCRIPTS: Readonly<Record<string, (say: Say) => Promise<void>>> = {
  async "post on X on Friday"(say) {
    const overview = await say("get_overview");
    const friday = find(overview, "Fri (\\d{4}-\\d{2}-\\d{2})");
    const accounts = await say("list_accounts", { platform: "x" });
    const id = await schedule(say, {
      caption: "Kiln opens on Friday",
      scheduled_at: `${friday}T23:30`,
      time_zone: "Pacific/Honolulu",
      account_ids: [accountOn(accounts, "x")],
    });
    expect(await say("get_post", { post_id: id })).toContain("Kiln opens on Friday");
  },
  async "different words for two accounts"(say) {
    const accounts = await say("list_accounts");
    const preview = await say("preview_post", {
      caption: "The long story of the glaze",
      scheduled_at: wall(3, "09:00"),
      targets: [
        { account_id: accountOn(accounts, "threads") },
        {
          account_id: accountOn(accounts, "x"),
          caption: "Short: glaze",
          platform_options: { reply_settings: "following" },
        },
      ],
    });
    expect(preview).toContain('"Short: glaze"');
    expect(await say("confirm_preview", { confirmation_token: tokenIn(preview) })).toContain("threads");
  },
  async "move everything of a day by an hour"(say) {
    const accounts = await say("list_accounts", { platform: "x" });
    const account_ids = [accountOn(accounts, "x")];
    await schedule(say, { caption: "One", scheduled_at: wall(20, "10:00"), account_ids });
    await schedule(say, { caption: "Two", scheduled_at: wall(20, "11:00"), account_ids });
    // After the Friday of another conversation, whatever day of the week it is.
    const day = wall(20, "").slice(0, 10);
    const listed = await say("list_posts", { from: day, until: day });
    const post_ids = [...listed.matchAll(new RegExp(`- (${UUID}): scheduled`, "g"))].map(([, id]) => id);
    expect(post_ids).toHaveLength(2);
    const preview = await say("preview_edit", { post_ids, shift_minutes: 60 });
    await say("confirm_preview", { confirmation_token: tokenIn(preview) });
    expect(await say("list_posts", { from: day, until: day })).toMatch(/11:00[\s\S]*12:00/);
  },
  async "cancel the post about the old glaze"(say) {
    const line = (await say("list_posts")).split("\n").find((one) => one.includes("An old glaze")) ?? "";
    const post_id = find(line, `- (${UUID})`);
    expect(await say("cancel_post", { post_id, confirm: true })).toContain("is cancelled");
    expect(await say("list_posts")).not.toContain("An old glaze");
  },
  async "a pin with a picture"(say) {
    const accounts = await say("list_accounts", { platform: "pinterest" });
    const account_id = accountOn(accounts, "pinterest");
    const boards = await say("list_pinterest_boards", { account_id });
    const media = await say("import_media", { urls: [PHOTO] });
    const id = await schedule(say, {
      caption: "Blue glaze",
      scheduled_at: wall(4, "12:00"),
      targets: [{ account_id, platform_options: { board_ids: [find(boards, "- (\\S+): ")], title: "Blue" } }],
      media_urls: [find(media, "image.*: (http\\S+)")],
    });
    expect(await say("get_post", { post_id: id })).toContain("image");
  },
  async "what the rules of a platform are"(say) {
    const rules = await say("get_platform_rules", { platform: "threads" });
    expect(Number(find(rules, "captions up to (\\d+)"))).toBe(500);
  },
  async "page through many posts"(say) {
    const accounts = await say("list_accounts", { platform: "x" });
    const account_ids = [accountOn(accounts, "x")];
    for (const hour of ["01", "02", "03"]) {
      await schedule(say, { caption: `At ${hour}`, scheduled_at: wall(9, `${hour}:00`), account_ids });
    }
    const first = await say("list_posts", { limit: 2 });
    const second = await say("list_posts", { limit: 2, offset: Number(find(first, "with offset (\\d+)")) });
    expect(postIn(second)).not.toBe(postIn(first));
  },
  async "connect another account"(say) {
    const address = find(await say("connect_account", { platform: "facebook" }), "this address: (\\S+)");
    expect(new URL(address).pathname).toBe("/connect/facebook");
    expect(await say("sync_accounts")).toContain("added 0");
  },
  async "replace the picture and the words of a post"(say) {
    const media = await say("import_media", { urls: [PHOTO] });
    const accounts = await say("list_accounts", { platform: "x" });
    const id = await schedule(say, {
      caption: "Before",
      scheduled_at: wall(6, "12:00"),
      account_ids: [accountOn(accounts, "x")],
    });
    const preview = await say("preview_edit", {
      post_ids: [id],
      caption: "After",
      media_urls: [find(media, "image.*: (http\\S+)")],
    });
    expect(preview).toContain('caption: from "Before" to "After"');
    await say("confirm_preview", { confirmation_token: tokenIn(preview) });
    expect(await say("get_post", { post_id: id })).toContain('Caption: "After"');
  },
  async "send a file from this machine"(say) {
    const sample = await (await exports.default.fetch(PHOTO)).arrayBuffer();
    const upload = await say("create_upload", {
      filename: "photo.jpg",
      content_type: "image/jpeg",
      size_bytes: sample.byteLength,
    });
    const sent = await exports.default.fetch(find(upload, "PUT the bytes to (\\S+)"), {
      method: "PUT",
      headers: { "content-type": find(upload, "content-type: ([\\w/]+)") },
      body: sample,
    });
    expect(sent.status).toBeLessThan(300);
    const accounts = await say("list_accounts", { platform: "instagram" });
    const preview = await say("preview_post", {
      caption: "From here",
      scheduled_at: wall(4, "13:00"),
      account_ids: [accountOn(accounts, "instagram")],
      media_urls: [find(upload, "Then use (\\S+) in media_urls")],
    });
    expect(tokenIn(preview)).toHaveLength(43);
  },
};

// One person for all of them: platforms limit how often somebody logs in.
let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});

describe("by text alone", () => {
  test.for(Object.keys(TRANSCRIPTS))("%s", async (name) => {
    await TRANSCRIPTS[name]?.(conversation(fixture));
  });

  test("there are ten", () => {
    expect(Object.keys(TRANSCRIPTS)).toHaveLength(10);
  });
});

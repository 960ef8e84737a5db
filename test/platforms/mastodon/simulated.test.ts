import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Adapter, OAuthMethod } from "#platforms/contract.ts";
import { mastodon } from "#platforms/mastodon/index.ts";
import { oauthMethod } from "../../support/call-connector.ts";
import { changeSettings } from "../../sandbox/sandbox-api.ts";
import {
  injectFault,
  logIn,
  publishedPosts,
  publishUntilSettled,
  revokeAtPlatform,
  sampleMedia,
  sandboxCredentials,
  simulatedClient,
} from "../../support/drive-simulator.ts";

// Several megabytes pass through two processes, which is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let clock = Date.parse("2032-03-01T09:00:00Z");
beforeEach(() => {
  clock += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The adapter for somebody who enters this server, whatever the simulator proposes. */
function atServer(server: string): Adapter {
  const method = oauthMethod(mastodon.connect);
  const start: OAuthMethod["start"] = (client, app, request) =>
    method.start(client, app, { ...request, input: { server } });
  return { ...mastodon, connect: { ...mastodon.connect, methods: [{ ...method, start }] } };
}

async function connectAccount(
  server = "mastodon.example",
  settings: Record<string, string> = {},
): Promise<AccountAccess> {
  const { accounts } = await logIn(atServer(server), "ada", settings);
  const [account] = accounts;
  if (!account) {
    throw new Error("the login has no account");
  }
  return account;
}

interface Kind {
  readonly kind: string;
  readonly files: readonly string[];
  readonly options?: JsonObject;
}

const KINDS: readonly Kind[] = [
  { kind: "a text", files: [] },
  { kind: "a text with a content warning", files: [], options: { spoiler_text: "Careful", language: "de" } },
  { kind: "images", files: ["portrait.jpg", "square.png"], options: { alt_texts: ["One", "Two"] } },
  { kind: "an animated GIF", files: ["animation.gif"] },
  { kind: "a video", files: ["landscape.mp4"], options: { visibility: "unlisted", sensitive: true } },
];

const EFFECTS = ["nothing", "drop_before", "drop_after", "answer_after"] as const;

describe.each(KINDS)("$kind", ({ kind, files, options = {} }) => {
  test.for(EFFECTS)("is published exactly once after %s", async (effect, { expect }) => {
    const account = await connectAccount();
    const media = await Promise.all(
      files.map((name) => sampleMedia(name, name.endsWith(".gif") ? { facts: { animated: true } } : {})),
    );
    const caption = `Hello @Ben@mastodon.example, ${kind} after ${effect} & <more> https://example.com/a?b=1 👨‍👩‍👧‍👦`;
    const end = await publishUntilSettled(mastodon, account, { caption, media, options }, async () => {
      if (effect !== "nothing") {
        await injectFault(mastodon, {
          match: { method: "POST", path: "/api/v1/statuses" },
          times: 1,
          effect,
          ...(effect === "answer_after" && { status: 504, body: "<html>" }),
        });
      }
    });
    expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
    const posts = (await publishedPosts(mastodon, account.platformAccountId)).filter((post) =>
      post.text.includes(`${kind} after ${effect}`),
    );
    expect(posts, end.steps.join(" ")).toHaveLength(1);
    expect(posts[0]?.media.map((item) => item.sha256)).toEqual(media.map((item) => item.sha256));
    expect(posts[0]?.options).toMatchObject({ visibility: "public", ...options });
    expect(end).toMatchObject({ remoteId: posts[0]?.id, url: posts[0]?.url });
  });
});

describe("a text on another server or in a bad moment", () => {
  const SERVER_SETTINGS = { idempotency: null, late_ms: null, silent_drop: null, language: null, max_characters: null };
  afterEach(async () => {
    await changeSettings("mastodon", SERVER_SETTINGS);
  });

  const post = (effect: string, status?: number, body?: string) => ({
    match: { method: "POST", path: "/api/v1/statuses" },
    times: 1,
    effect,
    ...(status !== undefined && { status, body: body ?? "<html>" }),
  });

  async function publish(account: AccountAccess, caption: string, fault?: JsonObject) {
    const end = await publishUntilSettled(mastodon, account, { caption }, async () => {
      if (fault) {
        await injectFault(mastodon, fault);
      }
    });
    const posts = await publishedPosts(mastodon, account.platformAccountId);
    return { end, count: posts.filter(({ text }) => text === caption).length };
  }

  test.for([
    ["mastodon.example", "4.6"],
    ["mastodon.example", "4.5"],
    ["mastodon.example", "none"],
    ["long.mastodon.example", null],
    ["old.mastodon.example", null],
  ] as const)("%s with the idempotency %s: nothing doubles", async ([server, idempotency], { expect }) => {
    await changeSettings("mastodon", { idempotency });
    const account = await connectAccount(server);
    for (const effect of ["drop_before", "drop_after"] as const) {
      const { end, count } = await publish(account, `${server} ${idempotency} ${effect}`, post(effect));
      expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
      expect(count).toBe(1);
    }
  });

  test.for(["ok", "4.6", "4.5"])(
    "a post that is saved after a 504 is found, with %s",
    async (idempotency, { expect }) => {
      await changeSettings("mastodon", { idempotency, late_ms: 170_000 });
      const { end, count } = await publish(await connectAccount(), `late ${idempotency}`);
      expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
      expect(count).toBe(1);
    },
  );

  test("a post that the server drops is not sent again", async ({ expect }) => {
    await changeSettings("mastodon", { silent_drop: true });
    const { end, count } = await publish(await connectAccount(), "dropped");
    expect(end, JSON.stringify(end)).toMatchObject({ state: "unknown" });
    expect(count).toBe(0);
  });

  test("a refusal of a post that was saved is no failure", async ({ expect }) => {
    const account = await connectAccount();
    const { end, count } = await publish(
      account,
      "saved and refused",
      post("answer_after", 422, '{"error":"Duplicate record"}'),
    );
    expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
    expect(count).toBe(1);
  });

  test("a limit that shrank after the preview is a refusal in the server's words", async ({ expect }) => {
    const account = await connectAccount();
    await changeSettings("mastodon", { max_characters: 5, language: "de" });
    const { end, count } = await publish(account, "longer than five");
    expect(end, JSON.stringify(end)).toMatchObject({
      state: "failed",
      fault: { kind: "rejected", code: "content_refused", httpStatus: 422 },
    });
    expect(count).toBe(0);
  });

  test("another program is connected only if the operator allows it, and its posts are never repeated", async ({
    expect,
  }) => {
    await expect(connectAccount("gts.example")).rejects.toThrow("login_refused");
    const account = await connectAccount("gts.example", { ALLOW_OTHERS: "true" });
    expect(await publish(account, "gts")).toMatchObject({ end: { state: "published" }, count: 1 });
    const after = await publish(account, "gts after", post("drop_after"));
    expect(after, JSON.stringify(after)).toMatchObject({ end: { state: "published" }, count: 1 });
    const before = await publish(account, "gts before", post("drop_before"));
    expect(before, JSON.stringify(before)).toMatchObject({ end: { state: "unknown" }, count: 0 });
  });

  test("a server's own limits are those of the preview", async ({ expect }) => {
    const account = await connectAccount("long.mastodon.example");
    const { captionLimit } = mastodon.validate({
      caption: "",
      postType: "text",
      media: [],
      options: {},
      account,
      settings: {},
    });
    expect(captionLimit).toBe(5000);
    await changeSettings("mastodon", { max_characters: 700 });
    expect(await mastodon.fetchCapabilities(simulatedClient(mastodon), account)).toMatchObject({
      ok: true,
      value: { maxCharacters: 700, software: "mastodon" },
    });
  });
});

test("a revoked login is told from a server that does not answer", async ({ expect }) => {
  const { tokens } = await logIn(mastodon, "ada");
  const list = () => mastodon.connect.listAccounts(simulatedClient(mastodon), sandboxCredentials(mastodon), tokens);
  expect(await list()).toMatchObject({ ok: true });
  await revokeAtPlatform(mastodon, "ada");
  expect(await list()).toMatchObject({ ok: false, fault: { kind: "reconnect", code: "auth_expired" } });
});

test("two logins of one user share their token, so that revoking one ends both", async ({ expect }) => {
  const first = await logIn(mastodon, "ada");
  const second = await logIn(mastodon, "ada");
  expect(second.externalId).toBe(first.externalId);
  const client = simulatedClient(mastodon);
  await mastodon.connect.revoke?.(client, sandboxCredentials(mastodon), first.tokens);
  expect(await mastodon.connect.listAccounts(client, sandboxCredentials(mastodon), first.tokens)).toMatchObject({
    ok: false,
    fault: { kind: "reconnect" },
  });
});

import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import type { StoredTargetError } from "#db/schema.ts";
import { cancelPost, disconnectAccount, pausePost, pausePostsOfAccounts } from "#post-status/index.ts";
import { getPost } from "#posts/index.ts";
import { createService } from "#service.ts";
import { createServiceFixture, signInNewUser } from "../../auth/service-fixture.ts";
import {
  createAccount,
  createTestContext,
  editPosts,
  schedulePost,
  updateAccountRow,
  updatePostRow,
  updateTargetRow,
} from "../../posts/test-context.ts";
import { unreachableOutbound } from "../../auth/test-context.ts";
import { countingD1 } from "../../support/counting-d1.ts";
import { createPostAuthor } from "./post-fixture.ts";

const service = createServiceFixture({ X_CLIENT_ID: "id", X_CLIENT_SECRET: "secret" });
const HOSTILE = `<script>alert(1)</script>" onmouseover="x" '&amp; ${"ä".repeat(60)}`;

function targetError(change: Partial<StoredTargetError> = {}): string {
  return JSON.stringify({
    code: "rejected",
    category: "content",
    message: `the platform said ${HOSTILE}`,
    platformCode: "187",
    retryable: false,
    whoMustAct: "user",
    ...change,
  } satisfies StoredTargetError);
}

/** The page as text: what a person reads, without marks. */
function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");
}

async function authorWithPost(accountCount = 1) {
  const author = await createPostAuthor(service);
  const accounts: string[] = [];
  for (let index = 0; index < accountCount; index += 1) {
    accounts.push(await createAccount(author.ctx));
  }
  const post = await schedulePost(author.ctx, {
    accountIds: accounts,
    caption: "A new glaze",
    scheduledAt: Date.now() + DAY,
  });
  const path = `/dashboard/posts/${post.id}`;
  const read = async (headers: Record<string, string> = {}) => {
    const response = await author.browser.get(path, headers);
    const html = await response.text();
    return { status: response.status, html, text: textOf(html) };
  };
  return { ...author, accounts, accountId: accounts[0] ?? "", post, path, read };
}

const NOW = () => Date.now();

const ALL_ACTIONS = ["edit", "move", "retry", "pause", "resume", "cancel"];

/** The actions that the page offers. */
function actionsOf(html: string, path: string): string[] {
  return ALL_ACTIONS.filter((action) => new RegExp(`(?:href|action)="${path}/${action}["?]`).test(html));
}

describe("each status is told in words, with what can be done", () => {
  test("scheduled", async () => {
    const { read, path } = await authorWithPost();
    const { status, html, text } = await read();
    expect(status).toBe(200);
    expect(text).toContain("Scheduled");
    expect(text).toContain("It will be published on");
    expect(text).toContain("UTC");
    expect(text).toContain("by the API key “test”");
    expect(text).toContain("Nothing was changed since it was made.");
    expect(html).toContain(`/dashboard/posts/new?duplicate=${path.split("/").at(-1)}`);
    expect(actionsOf(html, path)).toEqual(["edit", "move", "pause", "cancel"]);
  });

  test("waiting for the next try", async () => {
    const { read, post, accountId } = await authorWithPost();
    await updateTargetRow(post.id, accountId, {
      state: "retry_wait",
      attempts: 2,
      next_attempt_at: NOW() + HOUR,
      error: targetError({ whoMustAct: "nobody", code: "rate_limited", category: "rate_limit" }),
    });
    const { text } = await read();
    expect(text).toContain("Waiting for the next try");
    expect(text).toMatch(/The next try is at \d\d:\d\d:\d\d/);
    expect(text).toContain("Nobody has to act");
    expect(text).toContain("2 attempts");
  });

  test("publishing: nothing can be stopped, and the page refreshes its part", async () => {
    const { read, post, path, accountId } = await authorWithPost();
    await updatePostRow(post.id, { status: "publishing" });
    await updateTargetRow(post.id, accountId, { state: "committing" });
    const { html, text } = await read();
    expect(text).toContain("It is being published right now.");
    expect(actionsOf(html, path)).toEqual([]);
    expect(html).toContain('data-refresh="3"');
    const fragment = await read({ "x-fragment": "1" });
    expect(fragment.html).not.toContain("<html");
    expect(fragment.html).toContain('data-refresh="3"');
    expect(fragment.text).toContain("Being published");
  });

  test("publishing, while it is not known whether it is public: looked for, not sent again", async () => {
    const { read, post, path, accountId } = await authorWithPost();
    await updatePostRow(post.id, { status: "publishing" });
    await updateTargetRow(post.id, accountId, {
      state: "verifying",
      next_attempt_at: NOW() + MINUTE,
      history: JSON.stringify([
        {
          at: NOW() - HOUR,
          step: "commit",
          outcome: "uncertain",
          httpStatus: null,
          platformCode: null,
          message: null,
          nextAttemptAt: null,
        },
      ]),
    });
    const { html, text } = await read();
    expect(text).toMatch(/It is looked for again at \d\d:\d\d:\d\d\. This can no longer be stopped/);
    expect(text).toContain("is not sent a second time");
    expect(html).not.toContain("&amp;account=");
    expect(actionsOf(html, path)).toEqual([]);
  });

  test("published, with its address and how late it was", async () => {
    const { read, post, path, accountId } = await authorWithPost();
    const dueAt = post.scheduledAt;
    await updatePostRow(post.id, { status: "published" });
    await updateTargetRow(post.id, accountId, {
      state: "published",
      attempts: 1,
      published_at: dueAt + 900,
      started_at: dueAt + 400,
      remote_url: "https://platform.example/p/1",
    });
    const { html, text } = await read();
    expect(text).toContain("It is public on its account: published 0.4 s after its time.");
    expect(html).toContain('href="https://platform.example/p/1"');
    expect(actionsOf(html, path)).toEqual([]);
    expect(html).not.toContain("data-refresh=");
  });

  test("partly failed: where it is public, what went wrong, and who must act", async () => {
    const { read, post, path, accounts } = await authorWithPost(2);
    await updatePostRow(post.id, { status: "partially_failed" });
    await updateTargetRow(post.id, accounts[0] ?? "", { state: "published", published_at: post.scheduledAt });
    await updateTargetRow(post.id, accounts[1] ?? "", {
      state: "failed",
      attempts: 1,
      error: targetError({ code: "auth_expired", category: "auth" }),
    });
    const { html, text } = await read();
    expect(text).toContain("It is public on 1 of 2 accounts; on one it failed. Nothing is tried again by itself.");
    expect(text).toContain("You have to act. Connect the account again.");
    expect(html).toContain('href="/dashboard/accounts"');
    expect(text).toContain("calls this 187");
    expect(actionsOf(html, path)).toEqual(["edit", "retry"]);
  });

  test("failed: what only the operator can remove", async () => {
    const { read, post, accountId } = await authorWithPost();
    await updatePostRow(post.id, { status: "failed" });
    await updateTargetRow(post.id, accountId, {
      state: "failed",
      error: targetError({ code: "app_misconfigured", category: "internal", whoMustAct: "operator" }),
    });
    const { text } = await read();
    expect(text).toContain("It was not published. Nothing is tried again by itself.");
    expect(text).toContain("The operator of this service has to act. The operator checks the app credentials.");
  });

  test("unconfirmed: look there; it is never offered as a retry", async () => {
    const { read, post, path, accountId } = await authorWithPost();
    await updatePostRow(post.id, { status: "failed" });
    await updateTargetRow(post.id, accountId, {
      state: "unconfirmed",
      error: targetError({ code: "outcome_unknown" }),
    });
    const { html, text } = await read();
    expect(text).toContain("Unconfirmed");
    expect(text).toContain("It is never sent again by itself");
    expect(html).toContain(`/dashboard/posts/new?duplicate=${post.id}&amp;account=${accountId}`);
    expect(actionsOf(html, path)).toEqual([]);
  });

  test("the duplicate of an unconfirmed target is for its account only", async () => {
    const { browser, post, accounts } = await authorWithPost(2);
    const chosenIn = async (query: string) => {
      const html = await (await browser.get(`/dashboard/posts/new?duplicate=${post.id}${query}`)).text();
      const inputs = html.match(/<input[^>]*name="account"[^>]*>/g) ?? [];
      return accounts.filter((id) => inputs.some((input) => input.includes(id) && / checked/.test(input)));
    };
    expect(await chosenIn(`&account=${accounts[1]}`)).toEqual([accounts[1]]);
    expect(await chosenIn("")).toEqual(accounts);
  });

  test("paused by the user", async () => {
    const { read, ctx, post, path } = await authorWithPost();
    await pausePost(ctx, { id: post.id });
    const { html, text } = await read();
    expect(text).toContain("It was paused by hand");
    expect(actionsOf(html, path)).toEqual(["edit", "move", "resume", "cancel"]);
  });

  test("paused because its account needs a login: connect, and no resume", async () => {
    const { read, ctx, path, accountId } = await authorWithPost();
    await updateAccountRow(accountId, { status: "needs_reconnect", status_reason: "the login was withdrawn" });
    await pausePostsOfAccounts(ctx, [accountId]);
    const { html, text } = await read();
    expect(text).toContain("None of its accounts can be posted to.");
    expect(text).toContain("This account needs a new login. The login was withdrawn.");
    expect(text).toContain("Paused by Almanac, because no account can be posted to");
    expect(actionsOf(html, path)).toEqual(["edit", "move", "cancel"]);
  });

  test("paused because its account was disconnected", async () => {
    const { read, ctx, accountId } = await authorWithPost();
    await disconnectAccount(ctx, { accountId });
    const { text } = await read();
    expect(text).toContain(
      "Left out: the account was disconnected. Connect it again before the time and it is included again.",
    );
    expect(text).toMatch(/was disconnected and is left out by Almanac/);
  });

  test.for([
    ["subscription", "because the subscription ended", "/dashboard/plan"],
    ["restored", "put back to an earlier state", "/dashboard"],
  ] as const)("paused for %s", async ([reason, sentence, link]) => {
    const { read, post } = await authorWithPost();
    await updatePostRow(post.id, { status: "paused", paused_reason: reason, watch_at: null });
    const { html, text } = await read();
    expect(text).toContain(sentence);
    expect(html).toContain(`href="${link}"`);
  });

  test("paused and past its time: it needs a new one", async () => {
    const { read, ctx, post, path } = await authorWithPost();
    await pausePost(ctx, { id: post.id });
    await updatePostRow(post.id, { scheduled_at: NOW() - HOUR });
    const { html, text } = await read();
    expect(text).toContain("it needs a new one before it can be published");
    expect(actionsOf(html, path)).toEqual(["edit", "move", "cancel"]);
  });

  test("cancelled: it can only be read and duplicated", async () => {
    const { read, ctx, post, path } = await authorWithPost();
    await cancelPost(ctx, { id: post.id });
    const { status, html, text } = await read();
    expect(status).toBe(200);
    expect(text).toContain("It was not published and will not be.");
    expect(text).toContain("Not published");
    expect(text).not.toContain("Show in the calendar");
    expect(actionsOf(html, path)).toEqual([]);
    expect(html).toContain(`/dashboard/posts/new?duplicate=${post.id}`);
  });
});

describe("what happened", () => {
  test("attempts in human words, repeated ones once", async () => {
    const { read, post, accountId } = await authorWithPost();
    const attempt = { httpStatus: 503, platformCode: null, message: "upstream", nextAttemptAt: null };
    await updateTargetRow(post.id, accountId, {
      history: JSON.stringify([
        { ...attempt, at: NOW(), step: "commit", outcome: "uncertain", message: HOSTILE },
        { ...attempt, at: NOW() + 1000, step: "verify", outcome: "temporary" },
        { ...attempt, at: NOW() + 2000, step: "verify", outcome: "temporary" },
        { ...attempt, at: NOW() + 3000, step: "some_new_step", outcome: "content_refused" },
      ]),
    });
    const { html, text } = await read();
    expect(text).toContain("No clear answer: it may be public, so it is looked for before anything is sent");
    expect(text).toContain("Looking for it at the platform: the platform could not do it at the moment (2 times)");
    expect(text).toContain("Publishing: this did not work");
    expect(html).not.toContain("<script>alert");
  });

  test("a wait for a rate limit is told beside the attempts, of which it is none", async () => {
    const { read, post, accountId } = await authorWithPost();
    const attempt = { httpStatus: 402, platformCode: null, message: null, nextAttemptAt: null };
    await updateTargetRow(post.id, accountId, {
      attempts: 1,
      history: JSON.stringify([
        { ...attempt, at: NOW(), step: "commit", outcome: "rate_limited" },
        { ...attempt, at: NOW() + MINUTE, step: "commit", outcome: "published" },
      ]),
    });
    expect((await read()).text).toMatch(/1 attempt, with 1 wait that \w+ asked for/);
  });

  test("changes, newest first, with fields in words", async () => {
    const { read, ctx, post, accounts } = await authorWithPost(2);
    await editPosts(ctx, { postIds: [post.id], caption: HOSTILE.slice(0, 60), accountIds: [accounts[0] ?? ""] });
    await pausePost(ctx, { id: post.id });
    const { html, text } = await read();
    expect(text).toMatch(/Paused by the API key “test”.*Edited by the API key “test”.*Text: “A new glaze” → “<script>/);
    expect(text).toMatch(/Removed account-\d+/);
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain('onmouseover="x"');
  });

  test("a change far into a long text is seen", async () => {
    const { read, ctx, post } = await authorWithPost();
    const start = "word ".repeat(16);
    await editPosts(ctx, { postIds: [post.id], caption: `${start}before` });
    await editPosts(ctx, { postIds: [post.id], caption: `${start}after` });
    expect((await read()).text).toMatch(/“…[word ]{20}before” → “…[word ]{20}after”/);
  });

  test("of two accounts one is left out", async () => {
    const { read, ctx, accountId } = await authorWithPost(2);
    await disconnectAccount(ctx, { accountId });
    expect((await read()).text).toContain("1 of 2 accounts");
  });

  test("an address that is not http is not a link", async () => {
    const { read, post, accountId } = await authorWithPost();
    await updatePostRow(post.id, { status: "published" });
    await updateTargetRow(post.id, accountId, { state: "published", remote_url: "javascript:alert(1)" });
    expect((await read()).html).not.toContain("javascript:alert");
  });

  test("the app or the dashboard that made it", async () => {
    const author = await createPostAuthor(service, {
      actor: { credential: { kind: "oauth", id: "g", name: "<b>Planner</b>", confirms: "self" }, via: "mcp" },
    });
    const accountId = await createAccount(author.ctx);
    const post = await schedulePost(author.ctx, { accountIds: [accountId], scheduledAt: Date.now() + DAY });
    const html = await (await author.browser.get(`/dashboard/posts/${post.id}`)).text();
    expect(html).toContain("by the app “&lt;b&gt;Planner&lt;/b&gt;”");
    await updatePostRow(post.id, { created_by: null, created_via: "dashboard" });
    expect(textOf(await (await author.browser.get(`/dashboard/posts/${post.id}`)).text())).toContain(
      "in the dashboard",
    );
  });
});

describe("actions", () => {
  test("pause, resume and cancel return to the post and say so", async () => {
    const { browser, ctx, post, path } = await authorWithPost();
    for (const [action, done, sentence, status] of [
      ["pause", "paused", "The post is paused.", "paused"],
      ["resume", "resumed", "The post is scheduled again.", "scheduled"],
      ["cancel", "cancelled", "The post is cancelled.", "cancelled"],
    ] as const) {
      const response = await browser.post(`${path}/${action}`);
      expect([response.status, response.headers.get("location")]).toEqual([303, `${path}?done=${done}`]);
      expect(textOf(await (await browser.get(`${path}?done=${done}`)).text())).toContain(sentence);
      expect((await getPost(ctx, { id: post.id })).status).toBe(status);
    }
  });

  test("what was done is said only while it is still so", async () => {
    const { browser, post, path } = await authorWithPost();
    const read = async () => await (await browser.get(`${path}?done=scheduled`)).text();
    expect(await read()).toContain("Your post is scheduled.");
    await updatePostRow(post.id, { status: "published" });
    expect(await read()).not.toContain("Your post is scheduled.");
  });

  test("what was sent is forgotten before the page shows it, whatever became of it meanwhile", async () => {
    const { browser, post, path } = await authorWithPost();
    const read = async () => await (await browser.get(`${path}?done=scheduled`)).text();
    const script = '<script src="/sent.js"></script>';
    expect((await read()).split("Your post is scheduled.")[0]).toContain(script);
    await updatePostRow(post.id, { status: "published" });
    expect(await read()).toContain(script);
  });

  test("cancelling can be left", async () => {
    const { browser, path } = await authorWithPost();
    expect(await (await browser.get(path)).text()).toMatch(new RegExp(`href="${path}"[^>]*>\\s*Keep it`));
  });

  test("a refusal is a sentence on the post as it is now", async () => {
    const { browser, post, path } = await authorWithPost();
    await updatePostRow(post.id, { status: "publishing" });
    for (const action of ["pause", "resume", "cancel"]) {
      const response = await browser.post(`${path}/${action}`);
      const text = textOf(await response.text());
      expect(response.status).toBe(400);
      expect(text).toContain("A publishing post cannot be");
      expect(text).toContain("It is being published right now.");
    }
  });

  test("cancelling a retry tells what stays public, and stops only the rest", async () => {
    const { browser, read, ctx, post, path, accounts } = await authorWithPost(2);
    await updatePostRow(post.id, { status: "partially_failed" });
    await updateTargetRow(post.id, accounts[0] ?? "", { state: "published", published_at: NOW() });
    await updateTargetRow(post.id, accounts[1] ?? "", { state: "failed", error: targetError() });
    await editPosts(ctx, { postIds: [post.id], scheduledAt: Date.now() + DAY });
    const { html, text } = await read();
    expect(text).toContain("stays as it is at the platforms");
    expect(text).toContain("Only the accounts that failed before are tried again.");
    expect(actionsOf(html, path)).toEqual(["edit", "move", "cancel"]);
    expect((await browser.post(`${path}/cancel`)).headers.get("location")).toBe(`${path}?done=retry-stopped`);
    expect((await getPost(ctx, { id: post.id })).status).toBe("partially_failed");
  });

  test("without a subscription a post cannot be resumed", async () => {
    const { browser, userId, workspaceId } = await signInNewUser(service, { subscription: "canceled" });
    const owner = createTestContext({ actor: { userId, workspaceId } });
    const accountId = await createAccount(owner);
    const post = await schedulePost(owner, { accountIds: [accountId], scheduledAt: Date.now() + DAY });
    await updatePostRow(post.id, { status: "paused", paused_reason: "subscription", watch_at: null });
    const path = `/dashboard/posts/${post.id}`;
    expect(actionsOf(await (await browser.get(path)).text(), path)).not.toContain("resume");
    const response = await browser.post(`${path}/resume`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("choose a plan in the dashboard");
  });
});

describe("another person's post is a missing one", () => {
  test.for(["", "/pause", "/resume", "/cancel", "/retry"])("%s", async (suffix) => {
    const { post, ctx } = await authorWithPost();
    const other = await createPostAuthor(service);
    const open = (id: string) =>
      suffix === ""
        ? other.browser.get(`/dashboard/posts/${id}`)
        : other.browser.post(`/dashboard/posts/${id}${suffix}`);
    const theirs = await open(post.id);
    const missing = await open(crypto.randomUUID());
    expect([theirs.status, missing.status, (await open("not-an-id")).status]).toEqual([404, 404, 404]);
    expect(await theirs.text()).toBe(await missing.text());
    expect((await getPost(ctx, { id: post.id })).status).toBe("scheduled");
  });
});

describe("the cost", () => {
  test("one round trip for the session and one for the page, also as a fragment", async () => {
    const { browser, path } = await authorWithPost(5);
    const counting = countingD1(env.DB);
    const counted = createService(() => unreachableOutbound);
    for (const fragment of ["0", "1"]) {
      counting.reset();
      const request = new Request(new URL(path, env.ORIGIN), {
        headers: { "x-fragment": fragment, cookie: `__Host-session=${browser.session}` },
      });
      const context = { waitUntil: () => {}, passThroughOnException: () => {} } as unknown as ExecutionContext;
      const response = await counted.fetch(request, { ...env, DB: counting.d1 }, context);
      expect(response.status).toBe(200);
      expect(counting.count.roundTrips).toBe(2);
    }
  });
});

describe("trying again", () => {
  async function failedPost() {
    const author = await authorWithPost(3);
    const [published = "", failed = "", unconfirmed = ""] = author.accounts;
    await updatePostRow(author.post.id, { status: "partially_failed", watch_at: null });
    await updateTargetRow(author.post.id, published, { state: "published", published_at: NOW() });
    await updateTargetRow(author.post.id, failed, { state: "failed", error: targetError() });
    await updateTargetRow(author.post.id, unconfirmed, { state: "unconfirmed" });
    return { ...author, failed, unconfirmed };
  }

  test("shows only what failed, previews, and is confirmed like every edit", async () => {
    const { browser, ctx, path, post, failed, unconfirmed } = await failedPost();
    const text = textOf(await (await browser.get(`${path}/retry`)).text());
    expect(text).toContain("One account is tried again");
    expect(text).toContain("The platform said");
    const confirmPage = await (await browser.post(`${path}/retry`, { when: "now" })).text();
    const token = /name="confirmation_token" value="([^"]+)"/.exec(confirmPage)?.[1] ?? "";
    expect(textOf(confirmPage)).toContain("Try again?");
    expect(textOf(confirmPage)).toContain("Published as soon as you confirm");
    expect((await getPost(ctx, { id: post.id })).status).toBe("partially_failed");
    const confirmedAt = Date.now();
    const response = await browser.post("/dashboard/posts/edit/confirm", {
      confirmation_token: token,
      post_id: post.id,
      next: path,
    });
    expect(response.headers.get("location")).toBe(`${path}?done=saved`);
    const after = await getPost(ctx, { id: post.id });
    // Its object is awake already, so that the state of the failed account may be any.
    expect(after.scheduledAt).toBeGreaterThanOrEqual(confirmedAt);
    expect(after.scheduledAt).toBeLessThanOrEqual(Date.now() + SECOND);
    const ofAccount = new Map(after.targets.map((target) => [target.accountId, target]));
    expect(ofAccount.get(failed)?.dueAt).toBe(after.scheduledAt);
    expect(ofAccount.get(unconfirmed)).toMatchObject({ status: "unconfirmed", dueAt: post.scheduledAt });
  });

  test.for([
    [2, "It is public on all 2 accounts, for ", ") only after a retry on "],
    [1, "It is public on its account, ", "only after a retry on "],
  ] as const)("a retry is never called on time (%i accounts)", async ([count, where, when]) => {
    const { browser, ctx, post, path, accounts, read } = await authorWithPost(count);
    const failed = accounts.at(-1) ?? "";
    const lateness = { published_at: post.scheduledAt + 10, started_at: post.scheduledAt + 10 };
    await updatePostRow(post.id, { status: count === 1 ? "failed" : "partially_failed", watch_at: null });
    if (count > 1) {
      await updateTargetRow(post.id, accounts[0] ?? "", { state: "published", ...lateness });
    }
    await updateTargetRow(post.id, failed, { state: "failed", error: targetError() });
    const date = new Date(post.scheduledAt + DAY).toISOString().slice(0, 10);
    const confirmPage = await (await browser.post(`${path}/retry`, { when: "later", date, time: "18:30" })).text();
    await browser.post("/dashboard/posts/edit/confirm", {
      confirmation_token: /name="confirmation_token" value="([^"]+)"/.exec(confirmPage)?.[1] ?? "",
      post_id: post.id,
      next: path,
    });
    const { scheduledAt } = await getPost(ctx, { id: post.id });
    expect(scheduledAt).toBeGreaterThan(post.scheduledAt);
    await updatePostRow(post.id, { status: "published" });
    await updateTargetRow(post.id, failed, { state: "published", published_at: scheduledAt, started_at: scheduledAt });
    const { text } = await read();
    expect(text).toContain(where);
    expect(text).toContain(when);
    expect(text).toMatch(/It was first due on [^;]+; the calendar shows the time of the retry\./);
    expect(text).toContain("18:30, published after a retry");
    expect(text.match(/published on time/g)?.length ?? 0).toBe(count - 1);
  });

  test("at a chosen time in the person's zone", async () => {
    const { browser, path } = await failedPost();
    const date = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    const page = textOf(await (await browser.post(`${path}/retry`, { when: "later", date, time: "18:30" })).text());
    expect(page).toContain("18:30");
    expect(page).toContain("Try again?");
  });

  test.for([
    [{ when: "later", date: "", time: "10:00" }, "Choose a day."],
    [{ when: "later", date: "2020-01-01", time: "10:00" }, "This time has passed."],
  ] as const)("a time that cannot be is a sentence at the form: %j", async ([fields, sentence]) => {
    const { browser, path } = await failedPost();
    const response = await browser.post(`${path}/retry`, fields);
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(textOf(html)).toContain(sentence);
    expect(html).toContain(`value="${fields.date}"`);
  });

  test("an account that is disconnected: what to do first", async () => {
    const { browser, ctx, path, failed } = await failedPost();
    await disconnectAccount(ctx, { accountId: failed });
    expect(textOf(await (await browser.get(`${path}/retry`)).text())).toContain("cannot be posted to at the moment");
    const response = await browser.post(`${path}/retry`, { when: "now" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("This account is no longer connected.");
  });

  test("an account that needs a new login: it is asked for first, and leads back", async () => {
    const { browser, path, failed, read } = await failedPost();
    await updateAccountRow(failed, { status: "needs_reconnect" });
    const retryPage = await (await browser.get(`${path}/retry`)).text();
    expect(textOf(retryPage)).toContain("It can be tried again once this account is connected.");
    expect(retryPage).not.toContain("Continue");
    for (const [html, next] of [
      [retryPage, `${path}/retry`],
      [(await read()).html, path],
    ] as const) {
      expect(html).toContain('action="/dashboard/accounts/connect"');
      expect(html).toContain(`name="account" value="${failed}"`);
      expect(html).toContain(`name="next" value="${next}"`);
    }
    const connect = (next: string) =>
      browser.post("/dashboard/accounts/connect", { platform: "x", account: failed, next });
    const cookieOf = async (next: string) => (await connect(next)).headers.get("set-cookie") ?? "";
    expect(await cookieOf(`${path}/retry`)).toContain(`__Host-return=${encodeURIComponent(`${path}/retry`)};`);
    expect(await cookieOf("https://example.net/dashboard/posts/1")).not.toContain("example.net");
  });

  test("what is only unconfirmed is never tried again", async () => {
    const { browser, post, path, accountId } = await authorWithPost();
    await updatePostRow(post.id, { status: "failed", watch_at: null });
    await updateTargetRow(post.id, accountId, { state: "unconfirmed" });
    expect(textOf(await (await browser.get(`${path}/retry`)).text())).toContain(
      "Nothing of this post can be tried again",
    );
    const response = await browser.post(`${path}/retry`, { when: "now" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("o target of this post can be retried");
  });
});

describe("labels and notes", () => {
  const save = async (
    browser: Awaited<ReturnType<typeof authorWithPost>>["browser"],
    path: string,
    fields: Record<string, string>,
  ) => browser.post(`${path}/annotations`, { labels: "", notes: "", external_id: "", metadata: "", ...fields });

  test("are saved in the form of the API, shown again, and lead to the posts with the same label", async () => {
    const { browser, ctx, path, post, read } = await authorWithPost();
    const fields = { labels: " launch \r\n\r\nred & blue", notes: HOSTILE, metadata: 'campaign: a: b\n"x:\\ny": ""' };
    const saved = await save(browser, path, { ...fields, external_id: "cms/1" });
    expect([saved.status, saved.headers.get("location")]).toEqual([303, `${path}?done=annotated`]);
    const { annotations } = await getPost(ctx, post);
    expect(annotations).toEqual({
      externalId: "cms/1",
      labels: ["launch", "red & blue"],
      metadata: { campaign: "a: b", "x:\ny": "" },
      notes: HOSTILE,
    });
    const { html, text } = await read();
    expect(text).toContain(HOSTILE.replace(/\s+/g, " "));
    expect(html).toContain("/dashboard?view=list&amp;label=red+%26+blue");
    const list = await (await browser.get("/dashboard?view=list&label=launch")).text();
    expect(list).toContain(path);
    expect(textOf(list)).toContain("Only label: launch");
    expect(await (await browser.get("/dashboard?view=list&label=other")).text()).not.toContain(path);
  });

  test("that are refused are shown again with what is wrong, and nothing is changed", async () => {
    const { browser, ctx, path, post } = await authorWithPost();
    const refused = await save(browser, path, { labels: "x".repeat(41), notes: "kept words" });
    const text = textOf(await refused.text());
    expect(refused.status).toBe(400);
    expect(text).toContain("Each label must have at most 40 characters.");
    expect(text).toContain("kept words");
    expect((await getPost(ctx, post)).annotations.labels).toEqual([]);
    const unreadable = await save(browser, path, { metadata: "no colon" });
    expect(textOf(await unreadable.text())).toContain("a name, a colon and a value");
  });
});

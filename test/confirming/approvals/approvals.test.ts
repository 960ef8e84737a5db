import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { readToken } from "#confirming/token/confirmation-token.ts";
import {
  approveRequest,
  confirmBulk,
  confirmEdit,
  confirmPreview,
  confirmSchedule,
  declineRequest,
  getApproval,
  listApprovals,
  listApprovalsOfUser,
  previewBulk,
  previewEdit,
  previewSchedule,
  reviewApproval,
  withdrawRequest,
  withdrawRequestsOfRevoked,
} from "#confirming/index.ts";
import { getPost } from "#posts/index.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  freezeClock,
  oneHourAhead,
  planHashOfRows,
  readPostRow,
  refusalOf,
  refusalsIn,
  schedulePost,
  updateAccountRow,
  updatePostRow,
} from "../../posts/test-context.ts";
import {
  countRows,
  createParties,
  planHashOfApproval,
  requestEdit,
  requestPost,
  requestWith,
  revoke,
  stateOf,
} from "./approval-context.ts";

beforeEach(() => freezeClock());

describe("the confirm of a credential whose previews a person confirms", () => {
  test("writes the approval and nothing else, and names its page", async () => {
    const parties = await createParties();
    const { agent } = parties;
    const { userId, workspaceId } = agent.actor;
    const [x, image] = [await createAccount(agent), await createMedia(agent)];
    const before = await countRows(userId, workspaceId);
    const { confirmationToken } = await previewSchedule(agent, {
      caption: "Hello",
      scheduledAt: oneHourAhead(agent),
      accountIds: [x],
      mediaUrls: [image.url],
    });
    agent.counting.reset();
    const refusal = await refusalOf(confirmSchedule(agent, { confirmationToken }));
    expect(agent.counting.count.roundTrips).toBe(2);
    const { approval } = refusal;
    expect(refusal).toMatchObject({
      code: "approval_required",
      approval: {
        state: "pending",
        url: `${agent.config.origin}/approvals/${approval?.id}`,
        expiresAt: oneHourAhead(agent),
      },
    });
    expect(refusal.message).toContain(approval?.url);
    await agent.waitForDeferred();
    expect(await countRows(userId, workspaceId)).toEqual({ ...before, approvals: 1 });
    expect(agent.hints).toEqual([]);
  });

  test("the same token gives the same approval, also after its five minutes and in parallel", async () => {
    const { agent } = await createParties();
    const x = await createAccount(agent);
    const { confirmationToken } = await previewSchedule(agent, {
      caption: "Hello",
      scheduledAt: oneHourAhead(agent),
      accountIds: [x],
    });
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => confirmPreview(agent, { confirmationToken })),
    );
    const ids = new Set(refusalsIn(results).map(({ code, approval }) => `${code} ${approval?.id}`));
    expect(ids.size).toBe(1);
    vi.setSystemTime(agent.clock.now() + 10 * MINUTE);
    const { keys } = await env.TOKENS.list();
    await Promise.all(keys.map(({ name }) => env.TOKENS.delete(name)));
    agent.counting.reset();
    const id = await requestWith(agent, confirmationToken);
    expect(agent.counting.count.roundTrips).toBe(1);
    expect(ids).toEqual(new Set([`approval_required ${id}`]));
  });

  test("a token passes its usual checks first", async () => {
    const { agent } = await createParties();
    const x = await createAccount(agent);
    const preview = () =>
      previewSchedule(agent, { caption: "Hello", scheduledAt: agent.clock.now() + 2 * MINUTE, accountIds: [x] });
    const [first, second, third] = [await preview(), await preview(), await preview()];
    const invalid = { code: "invalid_confirmation_token" };
    const stranger = (await createParties()).agent;
    expect(await refusalOf(confirmPreview(stranger, first))).toMatchObject(invalid);
    expect(await refusalOf(confirmEdit(agent, first))).toMatchObject(invalid);
    expect(await refusalOf(confirmPreview(agent, { confirmationToken: "no token" }))).toMatchObject(invalid);
    const elsewhere = { ...agent, actor: { ...agent.actor, workspaceId: crypto.randomUUID() } };
    expect(await refusalOf(confirmPreview(elsewhere, first))).toMatchObject(invalid);
    await requestWith(agent, first.confirmationToken);
    expect(await refusalOf(confirmEdit(agent, first))).toMatchObject(invalid);
    expect(await refusalOf(confirmPreview(elsewhere, first))).toMatchObject(invalid);
    vi.setSystemTime(agent.clock.now() + 2 * MINUTE);
    expect(await refusalOf(confirmPreview(agent, second))).toMatchObject({ code: "scheduled_at_in_past" });
    vi.setSystemTime(agent.clock.now() + 3 * MINUTE);
    expect(await refusalOf(confirmPreview(agent, third))).toMatchObject(invalid);
  });

  test("a token that another key has used names its posts, and one that waits for a person cannot be used by it", async () => {
    const parties = await createParties();
    const { agent, trusted } = parties;
    const x = await createAccount(agent);
    const used = await previewSchedule(agent, { caption: "Used", scheduledAt: oneHourAhead(agent), accountIds: [x] });
    const { posts } = await confirmSchedule(trusted, used);
    const { id, token } = await requestPost(parties, { caption: "Waits", accountIds: [x] });
    expect(await refusalOf(confirmPreview(agent, used))).toMatchObject({
      code: "token_already_used",
      postIds: [posts[0]?.id],
    });
    expect(await refusalOf(confirmPreview(trusted, { confirmationToken: token }))).toMatchObject({
      code: "approval_required",
      approval: { id },
    });
    await updateAccountRow(x, { disconnected_at: 1 });
    expect(await refusalOf(confirmPreview(trusted, { confirmationToken: token }))).toMatchObject({
      code: "approval_required",
    });
    expect(await countRows(agent.actor.userId, agent.actor.workspaceId)).toMatchObject({ posts: 1, confirmations: 0 });
  });

  test("at most a hundred wait; the hundred and first is told so, and repeated ones are not", async () => {
    const parties = await createParties();
    const { agent, person } = parties;
    const x = await createAccount(agent);
    const { token, id, planHash } = await requestPost(parties, { accountIds: [x] });
    await env.DB.prepare(
      `INSERT INTO approvals (id, user_id, workspace_id, token_hash, kind, plan, plan_hash, requested_by, via, state, created_at, expires_at)
       SELECT 'copy-' || n.value || approvals.id, user_id, workspace_id, token_hash || n.value, kind, plan, plan_hash, requested_by, via, state,
         created_at, expires_at
       FROM approvals, json_each(?2) n WHERE approvals.id = ?1`,
    )
      .bind(id, JSON.stringify(Array.from({ length: 99 }, (_, index) => index)))
      .run();
    const preview = await previewSchedule(agent, {
      caption: "More",
      scheduledAt: oneHourAhead(agent),
      accountIds: [x],
    });
    expect(await refusalOf(confirmPreview(agent, preview))).toMatchObject({ code: "too_many_approvals" });
    expect(await requestWith(agent, token)).toBe(id);
    await approveRequest(person, { id, planHash });
    await requestWith(agent, preview.confirmationToken);
  });

  test("while the database is held nothing is asked for", async () => {
    const { agent } = await createParties();
    const x = await createAccount(agent);
    const preview = await previewSchedule(agent, {
      caption: "Held",
      scheduledAt: oneHourAhead(agent),
      accountIds: [x],
    });
    await env.DB.prepare("UPDATE service SET held = 'restored'").run();
    expect(await refusalOf(confirmPreview(agent, preview))).toMatchObject({ code: "service_held" });
    await env.DB.prepare("UPDATE service SET held = NULL").run();
    await requestWith(agent, preview.confirmationToken);
  });

  test("ends with the earliest time that the plan sets, and after seven days at the latest", async () => {
    const parties = await createParties();
    const { agent, trusted } = parties;
    const x = await createAccount(agent);
    const now = agent.clock.now();
    const expiryOf = async (id: string) => (await getApproval(agent, { id })).expiresAt;
    const far = await requestPost(parties, { accountIds: [x], scheduledAt: now + 20 * DAY });
    expect(await expiryOf(far.id)).toBe(now + 7 * DAY);
    const near = await requestPost(parties, { accountIds: [x], scheduledAt: now + DAY });
    expect(await expiryOf(near.id)).toBe(now + DAY);
    const posts = [
      await schedulePost(trusted, { accountIds: [x], scheduledAt: now + 2 * DAY }),
      await schedulePost(trusted, { accountIds: [x], scheduledAt: now + 3 * DAY }),
    ];
    const { confirmationToken } = await previewEdit(agent, { postIds: posts.map(({ id }) => id), shiftMinutes: 60 });
    expect(await expiryOf(await requestWith(agent, confirmationToken))).toBe(now + 2 * DAY + 60 * MINUTE);
    expect(await expiryOf((await requestEdit(parties, posts)).id)).toBe(now + 7 * DAY);
  });
});

describe("approving", () => {
  test("writes exactly the previewed post under the token's hash, as the agent's, and the agent learns its id", async () => {
    const parties = await createParties();
    const { agent, person } = parties;
    const [x, ig, image] = [
      await createAccount(agent),
      await createAccount(agent, "instagram"),
      await createMedia(agent),
    ];
    const { id, token, planHash } = await requestPost(parties, {
      targets: [
        { accountId: x, caption: "Own" },
        { accountId: ig, platformOptions: { a: 1 } },
      ],
      mediaUrls: [image.url],
    });
    vi.setSystemTime(agent.clock.now() + 30 * MINUTE);
    const [post] = await approveRequest(person, { id, planHash });
    expect(post).toMatchObject({
      planHash,
      createdVia: "api",
      createdBy: { kind: "key", name: "Studio assistant" },
      status: "scheduled",
    });
    expect(await planHashOfRows(post?.id ?? "")).toBe(planHash);
    await person.waitForDeferred();
    expect(person.hints).toMatchObject([{ postId: post?.id }]);
    expect((await readToken(token)).postId).toBe(post?.id);
    expect(await refusalOf(confirmPreview(agent, { confirmationToken: token }))).toMatchObject({
      code: "token_already_used",
      postIds: [post?.id],
      approval: { id, state: "approved" },
    });
    expect(await getApproval(agent, { id })).toMatchObject({ state: "approved", postIds: [post?.id] });
  });

  test("applies an edit of several posts, recorded as the agent's", async () => {
    const parties = await createParties();
    const { agent, person, trusted } = parties;
    const x = await createAccount(agent);
    const posts = [await schedulePost(trusted, { accountIds: [x] }), await schedulePost(trusted, { accountIds: [x] })];
    const { id, planHash } = await requestEdit(parties, posts, "Changed by the agent");
    const edited = await approveRequest(person, { id, planHash });
    expect(edited.map((post) => [post.id, post.version, post.caption])).toEqual(
      posts.map((post) => [post.id, 2, "Changed by the agent"]),
    );
    expect(JSON.parse(String((await readPostRow(posts[0]?.id ?? ""))["changes"]))).toMatchObject([
      { via: "api", by: { name: "Studio assistant" }, what: "edited" },
    ]);
  });

  test.each([{ status: "cancelled" as const }, { labels: { add: ["launch"], remove: [] } }])(
    "applies %j to several posts at once",
    async (change) => {
      const { agent, person, trusted } = await createParties();
      const x = await createAccount(agent);
      const posts = [
        await schedulePost(trusted, { accountIds: [x] }),
        await schedulePost(trusted, { accountIds: [x], caption: "Another" }),
      ];
      const { confirmationToken } = await previewEdit(agent, { postIds: posts.map(({ id }) => id), ...change });
      const id = await requestWith(agent, confirmationToken);
      expect((await readPostRow(posts[0]?.id ?? ""))["status"]).toBe("scheduled");
      const edited = await approveRequest(person, { id, planHash: await planHashOfApproval(id) });
      expect(edited.map(({ status, annotations }) => [status, annotations.labels])).toEqual(
        posts.map(() => [change.status ?? "scheduled", change.labels?.add ?? []]),
      );
    },
  );

  test("in another workspace than the active one writes to the workspace of the plan", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, planHash } = await requestPost(parties, { accountIds: [x] });
    const elsewhere = {
      ...parties.person,
      actor: { ...parties.person.actor, workspaceId: crypto.randomUUID() },
    };
    const [post] = await approveRequest(elsewhere, { id, planHash });
    expect(post?.workspaceId).toBe(parties.agent.actor.workspaceId);
  });

  test("eight presses at once make one post, and the others name it", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, planHash } = await requestPost(parties, { accountIds: [x] });
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => approveRequest(parties.person, { id, planHash })),
    );
    const [winner, ...others] = results.filter((result) => result.status === "fulfilled");
    expect(others).toEqual([]);
    for (const refusal of refusalsIn(results)) {
      expect(refusal).toMatchObject({ code: "token_already_used", postIds: [winner?.value[0]?.id] });
    }
    const { userId, workspaceId } = parties.agent.actor;
    expect(await countRows(userId, workspaceId)).toMatchObject({ posts: 1, confirmations: 0 });
  });

  test("an answer of the database that was lost after the commit counts as success", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, planHash } = await requestPost(parties, { accountIds: [x] });
    const { d1 } = parties.person.db;
    let lost = 0;
    const losesOne = new Proxy(d1, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "batch" || typeof value !== "function") {
          return typeof value === "function" ? value.bind(target) : value;
        }
        return async (statements: D1PreparedStatement[]) => {
          const result: unknown = await value.call(target, statements);
          // The batch of the commit is the only one that writes here.
          if (lost === 0 && (await stateOf(id)) === "approved") {
            lost += 1;
            throw new Error("Network connection lost.");
          }
          return result;
        };
      },
    });
    const [post] = await approveRequest(
      { ...parties.person, db: { ...parties.person.db, d1: losesOne } },
      { id, planHash },
    );
    expect(lost).toBe(1);
    expect(post).toMatchObject({ status: "scheduled", planHash });
  });

  test("a hash that was not shown, a stranger and an unknown id write nothing", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, planHash } = await requestPost(parties, { accountIds: [x] });
    const stranger = (await createParties()).person;
    expect(await refusalOf(approveRequest(parties.person, { id, planHash: "0".repeat(64) }))).toMatchObject({
      code: "invalid_request",
      param: "plan_hash",
    });
    const theirs = await refusalOf(approveRequest(stranger, { id, planHash }));
    const missing = await refusalOf(approveRequest(stranger, { id: crypto.randomUUID(), planHash }));
    expect(theirs).toEqual(missing);
    expect(theirs.code).toBe("not_found");
    expect(await refusalOf(declineRequest(stranger, { id, note: "" }))).toEqual(missing);
    expect(await refusalOf(withdrawRequest(stranger, { id }))).toEqual(missing);
    expect(await refusalOf(getApproval(stranger, { id }))).toEqual(missing);
    expect(await refusalOf(reviewApproval(stranger, { id }))).toEqual(missing);
    expect(await listApprovalsOfUser(stranger, { limit: 10, offset: 0 })).toEqual({ approvals: [], hasMore: false });
    expect(await stateOf(id)).toBe("pending");
  });

  test("needs a subscription, and waits for it", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, planHash } = await requestPost(parties, { accountIds: [x] });
    const lapsed = { ...parties.person, actor: { ...parties.person.actor, subscribed: false } };
    expect(await refusalOf(approveRequest(lapsed, { id, planHash }))).toMatchObject({ code: "subscription_required" });
    expect(await stateOf(id)).toBe("pending");
  });

  test("a person's two days later still finds the plan, when the records of used tokens are long gone", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, planHash, token } = await requestPost(parties, {
      accountIds: [x],
      scheduledAt: parties.agent.clock.now() + 6 * DAY,
    });
    vi.setSystemTime(parties.agent.clock.now() + 5 * DAY);
    const [post] = await approveRequest(parties.person, { id, planHash });
    expect(await refusalOf(approveRequest(parties.person, { id, planHash }))).toMatchObject({
      code: "token_already_used",
      postIds: [post?.id],
    });
    expect(await refusalOf(confirmPreview(parties.agent, { confirmationToken: token }))).toMatchObject({
      code: "token_already_used",
    });
  });
});

describe("the other ends", () => {
  test("declined: the agent reads the note", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, token, planHash } = await requestPost(parties, { accountIds: [x] });
    expect(await refusalOf(declineRequest(parties.person, { id, note: "n".repeat(501) }))).toMatchObject({
      code: "invalid_request",
      param: "note",
    });
    await declineRequest(parties.person, { id, note: "  Not before the exhibition.  " });
    const declined = {
      code: "approval_declined",
      approval: { id, state: "declined", note: "Not before the exhibition." },
    };
    expect(await refusalOf(confirmPreview(parties.agent, { confirmationToken: token }))).toMatchObject(declined);
    expect(await refusalOf(approveRequest(parties.person, { id, planHash }))).toMatchObject(declined);
    expect(await refusalOf(confirmPreview(parties.trusted, { confirmationToken: token }))).toMatchObject(declined);
  });

  test("expired: from the millisecond of its end on, before and after the cron", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, token, planHash } = await requestPost(parties, { accountIds: [x] });
    vi.setSystemTime(oneHourAhead(parties.agent));
    const expired = { code: "approval_expired", approval: { state: "expired" } };
    expect(await stateOf(id)).toBe("pending");
    expect(await refusalOf(confirmPreview(parties.agent, { confirmationToken: token }))).toMatchObject(expired);
    expect(await refusalOf(approveRequest(parties.person, { id, planHash }))).toMatchObject(expired);
    expect(await refusalOf(declineRequest(parties.person, { id, note: "" }))).toMatchObject(expired);
    expect(await refusalOf(withdrawRequest(parties.agent, { id }))).toMatchObject(expired);
    expect(await getApproval(parties.agent, { id })).toMatchObject({
      state: "expired",
      decidedAt: parties.agent.clock.now(),
    });
  });

  test("withdrawn by the agent", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, token, planHash } = await requestPost(parties, { accountIds: [x] });
    const elsewhere = { ...parties.agent, actor: { ...parties.agent.actor, workspaceId: crypto.randomUUID() } };
    expect(await refusalOf(withdrawRequest(elsewhere, { id }))).toMatchObject({ code: "not_found" });
    expect(await withdrawRequest(parties.agent, { id })).toMatchObject({ id, state: "withdrawn" });
    const withdrawn = { code: "approval_withdrawn", approval: { id, state: "withdrawn" } };
    expect(await refusalOf(withdrawRequest(parties.agent, { id }))).toMatchObject(withdrawn);
    expect(await refusalOf(approveRequest(parties.person, { id, planHash }))).toMatchObject(withdrawn);
    expect(await refusalOf(confirmPreview(parties.agent, { confirmationToken: token }))).toMatchObject(withdrawn);
  });

  test("withdrawn by revoking the credential, from that moment on and without anything else being done", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const { id, planHash } = await requestPost(parties, { accountIds: [x] });
    await revoke(parties);
    const withdrawn = { code: "approval_withdrawn", approval: { id, state: "withdrawn" } };
    expect(await refusalOf(approveRequest(parties.person, { id, planHash }))).toMatchObject(withdrawn);
    expect(await getApproval(parties.person, { id })).toMatchObject({ state: "withdrawn" });
    expect(await stateOf(id)).toBe("pending");
    await withdrawRequestsOfRevoked(parties.person, { userId: parties.person.actor.userId });
    expect(await stateOf(id)).toBe("withdrawn");
  });
});

describe("stale", () => {
  test.for<[cause: string, details: object, spoil: (account: string, media: string) => Promise<unknown>]>([
    [
      "the account was disconnected",
      { code: "account_not_found" },
      (account) => updateAccountRow(account, { disconnected_at: 1 }),
    ],
    [
      "the account needs a new login",
      { code: "account_needs_reconnect" },
      (account) => updateAccountRow(account, { status: "needs_reconnect" }),
    ],
    [
      "a medium was deleted",
      { code: "media_not_found" },
      (_account, media) => env.DB.prepare("UPDATE media SET state = 'removing' WHERE id = ?").bind(media).run(),
    ],
  ])("%s: final, with the reason, and nothing is written", async ([, detail, spoil], { expect }) => {
    const parties = await createParties();
    const [x, image] = [await createAccount(parties.agent), await createMedia(parties.agent)];
    const { id, token, planHash } = await requestPost(parties, { accountIds: [x], mediaUrls: [image.url] });
    await spoil(x, image.id);
    const stale = {
      code: "approval_stale",
      approval: { id, state: "stale" },
      details: [expect.objectContaining(detail)],
    };
    expect(await reviewApproval(parties.person, { id })).toMatchObject({ problems: [detail] });
    expect(await refusalOf(approveRequest(parties.person, { id, planHash }))).toMatchObject(stale);
    expect(await refusalOf(confirmPreview(parties.agent, { confirmationToken: token }))).toMatchObject(stale);
    expect(await refusalOf(approveRequest(parties.person, { id, planHash }))).toMatchObject(stale);
    const { userId, workspaceId } = parties.agent.actor;
    expect(await countRows(userId, workspaceId)).toMatchObject({ posts: 0, confirmations: 0 });
  });

  test("a post of the edit was changed, or has begun to publish", async () => {
    const parties = await createParties();
    const { agent, person, trusted } = parties;
    const x = await createAccount(agent);
    const [changed, started] = [
      await schedulePost(trusted, { accountIds: [x] }),
      await schedulePost(trusted, { accountIds: [x] }),
    ];
    const [first, second] = [await requestEdit(parties, [changed], "A"), await requestEdit(parties, [started], "B")];
    const { confirmationToken } = await previewEdit(trusted, { postIds: [changed.id], caption: "Meanwhile" });
    await confirmEdit(trusted, { confirmationToken });
    await updatePostRow(started.id, { status: "publishing" });
    expect(await refusalOf(approveRequest(person, first))).toMatchObject({
      code: "approval_stale",
      details: [{ code: "post_changed", actual: changed.id }],
    });
    expect(await refusalOf(approveRequest(person, second))).toMatchObject({
      code: "approval_stale",
      details: [{ code: "invalid_state" }],
    });
    expect(await getPost(agent, { id: changed.id })).toMatchObject({ caption: "Meanwhile", version: 2 });
  });

  test("the limit of scheduled posts was reached", async () => {
    const limits = { ...createTestContext().actor.limits, scheduledPosts: 1 };
    const parties = await createParties({ actor: { limits } });
    const x = await createAccount(parties.agent);
    const request = await requestPost(parties, { accountIds: [x] });
    await schedulePost(parties.trusted, { accountIds: [x] });
    expect(await refusalOf(approveRequest(parties.person, request))).toMatchObject({
      code: "approval_stale",
      details: [{ code: "quota_exceeded" }],
    });
  });

  test("the account may no longer post texts of that length", async () => {
    const parties = await createParties({ adapters: { x: scriptedAdapter("x") } });
    const x = await createAccount(parties.agent);
    const request = await requestPost(parties, { accountIds: [x] });
    await updateAccountRow(x, { capabilities: JSON.stringify({ captionMax: 3 }) });
    expect(await refusalOf(approveRequest(parties.person, request))).toMatchObject({
      code: "approval_stale",
      details: [{ code: "caption_too_long", limit: 3, actual: 5 }],
    });
  });

  test("other posts have used up the account's day", async () => {
    const dailyCaps = [{ count: 1, windowHours: 24, what: "posts" }];
    const parties = await createParties({ adapters: { x: scriptedAdapter("x", { dailyCaps }) } });
    const x = await createAccount(parties.agent);
    const request = await requestPost(parties, { accountIds: [x] });
    await schedulePost(parties.trusted, { accountIds: [x] });
    expect(await refusalOf(approveRequest(parties.person, request))).toMatchObject({
      code: "approval_stale",
      details: [{ code: "daily_cap_reached", limit: 1, actual: 2 }],
    });
  });

  test("a held database decides nothing: the approval waits until it is released", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const request = await requestPost(parties, { accountIds: [x] });
    await env.DB.prepare("UPDATE service SET held = 'restored'").run();
    expect(await refusalOf(approveRequest(parties.person, request))).toMatchObject({ code: "service_held" });
    await env.DB.prepare("UPDATE service SET held = NULL").run();
    expect(await stateOf(request.id)).toBe("pending");
    expect(await approveRequest(parties.person, request)).toHaveLength(1);
  });
});

type Party = Awaited<ReturnType<typeof createParties>>;

/** What may happen at the moment of a press, with what the confirm says when it came first. */
const RIVALS: readonly (readonly [
  name: string,
  code: string,
  happen: (parties: Party, id: string) => Promise<unknown>,
])[] = [
  ["a decline", "approval_declined", ({ person }, id) => declineRequest(person, { id, note: "" })],
  ["a withdrawal", "approval_withdrawn", ({ agent }, id) => withdrawRequest(agent, { id })],
  ["a revocation", "approval_withdrawn", (parties) => revoke(parties)],
  ["its end", "approval_expired", ({ agent }) => Promise.resolve(vi.setSystemTime(oneHourAhead(agent)))],
  [
    "a disconnect",
    "approval_stale",
    ({ agent }) =>
      env.DB.prepare("UPDATE accounts SET disconnected_at = 1 WHERE user_id = ?").bind(agent.actor.userId).run(),
  ],
];

/** The same database, on which `happen` runs directly before the batch with this number. */
function interrupted({ db }: Pick<Party["person"], "db">, number: number, happen: () => Promise<unknown>) {
  let batches = 0;
  const d1 = new Proxy(db.d1, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") {
        return value;
      }
      if (name !== "batch") {
        return value.bind(target) as unknown;
      }
      return async (statements: D1PreparedStatement[]) => {
        batches += 1;
        if (batches === number) {
          await happen();
        }
        return (await value.call(target, statements)) as unknown;
      };
    },
  });
  return { ...db, d1 };
}

describe("races", () => {
  test.for(RIVALS)(
    "%s between the check of a press and its write keeps it from writing anything",
    async ([name, code, happen], { expect: check }) => {
      const parties = await createParties();
      const x = await createAccount(parties.agent);
      const { id, planHash, token } = await requestPost(parties, { accountIds: [x] });
      // The first batch checks the plan, the second writes it; time itself passes before the write is made.
      const db = interrupted(parties.person, name === "its end" ? 1 : 2, () => happen(parties, id));
      check(await refusalOf(approveRequest({ ...parties.person, db }, { id, planHash }))).toMatchObject({ code });
      const { userId, workspaceId } = parties.agent.actor;
      check(await countRows(userId, workspaceId)).toMatchObject({ posts: 0, confirmations: 0 });
      check(await refusalOf(confirmPreview(parties.agent, { confirmationToken: token }))).toMatchObject({ code });
    },
  );

  test.for(RIVALS)(
    "a press against %s: a post exists exactly if the approval says so",
    async ([, , happen], { expect: check }) => {
      for (let round = 0; round < 6; round += 1) {
        freezeClock();
        const parties = await createParties();
        const x = await createAccount(parties.agent);
        const { id, planHash } = await requestPost(parties, { accountIds: [x] });
        const press = () => approveRequest(parties.person, { id, planHash });
        const racing = round % 2 === 0 ? [press(), happen(parties, id)] : [happen(parties, id), press()];
        refusalsIn(await Promise.allSettled(racing));
        const { userId, workspaceId } = parties.agent.actor;
        const { posts } = await countRows(userId, workspaceId);
        const { state, postIds } = await getApproval(parties.agent, { id });
        check(posts).toBe(state === "approved" ? 1 : 0);
        check(postIds?.length ?? 0).toBe(posts);
      }
    },
  );
});

describe("one token, confirmed by one key and presented by another that may not", () => {
  test("becomes a post or a request, never both", async ({ expect: check }) => {
    for (let round = 0; round < 8; round += 1) {
      const { agent, trusted } = await createParties();
      const token = await previewSchedule(agent, {
        caption: "Hello",
        scheduledAt: oneHourAhead(agent),
        accountIds: [await createAccount(agent)],
      });
      const [confirm, request] = [() => confirmPreview(trusted, token), () => confirmPreview(agent, token)];
      await Promise.allSettled(round % 2 === 0 ? [confirm(), request()] : [request(), confirm()]);
      const { posts = 0, approvals = 0 } = await countRows(agent.actor.userId, agent.actor.workspaceId);
      check(posts + approvals).toBe(1);
    }
  });
});

describe("reading", () => {
  test("pending ones come first, the next to end at the top; then the decided ones, the newest at the top", async () => {
    const parties = await createParties();
    const { agent, person } = parties;
    const x = await createAccount(agent);
    const request = (hours: number) =>
      requestPost(parties, {
        accountIds: [x],
        caption: "é".repeat(90),
        scheduledAt: agent.clock.now() + hours * 60 * MINUTE,
      });
    const [later, sooner, declined, withdrawn] = [
      await request(9),
      await request(5),
      await request(7),
      await request(8),
    ];
    await declineRequest(person, { id: declined.id, note: "" });
    vi.setSystemTime(agent.clock.now() + SECOND);
    await withdrawRequest(agent, { id: withdrawn.id });
    const { approvals } = await listApprovals(agent, { limit: 10, offset: 0 });
    expect(approvals.map(({ id }) => id)).toEqual([sooner.id, later.id, withdrawn.id, declined.id]);
    expect(approvals[0]).toMatchObject({
      kind: "schedule",
      requestedBy: { kind: "key", name: "Studio assistant" },
      posts: [{ caption: "é".repeat(90), platforms: ["x"], postType: "text" }],
    });
    const page = await listApprovals(agent, { limit: 1, offset: 0, state: "pending" });
    expect(page.approvals.map(({ id }) => id)).toEqual([sooner.id]);
    expect(page.hasMore).toBe(true);
    const elsewhere = { ...agent, actor: { ...agent.actor, workspaceId: crypto.randomUUID() } };
    expect((await listApprovals(elsewhere, { limit: 10, offset: 0 })).approvals).toEqual([]);
    expect((await listApprovalsOfUser(elsewhere, { limit: 10, offset: 0 })).approvals).toHaveLength(4);
  });

  test("an edit names the platforms of its posts and shows what it changes", async () => {
    const parties = await createParties();
    const x = await createAccount(parties.agent);
    const post = await schedulePost(parties.trusted, { accountIds: [x] });
    const { id } = await requestEdit(parties, [post], "Changed");
    expect(await getApproval(parties.agent, { id })).toMatchObject({
      kind: "edit",
      posts: [{ id: post.id, caption: "Changed", platforms: ["x"] }],
      planHash: await planHashOfApproval(id),
    });
    expect(await reviewApproval(parties.person, { id })).toMatchObject({
      problems: [],
      edits: [{ edit: { changes: [{ field: "caption", from: "Hello", to: "Changed" }] } }],
      changes: [{ postId: post.id, fields: [{ field: "caption", from: "Hello", to: "Changed" }] }],
    });
  });

  test("many new posts are shown each, and approved all or none", async () => {
    const parties = await createParties();
    const { agent, person } = parties;
    const [x, image] = [await createAccount(agent), await createMedia(agent)];
    const request = async (...captions: readonly string[]) => {
      const { preview, confirmation } = await previewBulk(agent, {
        posts: captions.map((caption, index) => ({
          row: index + 1,
          input: { caption, scheduledAt: oneHourAhead(agent) + index, accountIds: [x], mediaUrls: [image.url] },
          problems: [],
        })),
        skipInvalid: false,
      });
      const { confirmationToken = "" } = confirmation ?? {};
      const { approval } = await refusalOf(confirmBulk(agent, { confirmationToken }));
      return { id: approval?.id ?? "", planHash: preview.planHash ?? "", confirmationToken };
    };
    const [first, second] = [await request("One", "Two"), await request("Three", "Four")];
    expect(await getApproval(agent, first)).toMatchObject({
      kind: "bulk",
      planHash: first.planHash,
      posts: [{ caption: "One", platforms: ["x"] }, { caption: "Two" }],
    });
    expect(await reviewApproval(person, first)).toMatchObject({
      problems: [],
      edits: [],
      newPosts: [
        { caption: "One", targets: [{ accountId: x, effectiveCaption: "One" }] },
        { caption: "Two", scheduledAt: oneHourAhead(agent) + 1 },
      ],
    });
    await approveRequest(person, first);
    await person.waitForDeferred();
    const { postIds } = await getApproval(agent, first);
    expect(postIds).toHaveLength(2);
    expect(person.hints.map(({ postId }) => postId)).toEqual(postIds);
    expect(await getPost(agent, { id: postIds?.[1] ?? "" })).toMatchObject({
      caption: "Two",
      status: "scheduled",
      createdBy: { kind: "key", name: "Studio assistant" },
    });
    expect(await refusalOf(confirmBulk(agent, first))).toMatchObject({ code: "token_already_used", postIds });
    await updateAccountRow(x, { disconnected_at: 1 });
    await refusalOf(approveRequest(person, second));
    const stale = await getApproval(agent, second);
    expect(stale).toMatchObject({ state: "stale", postIds: null });
    expect(stale.details.map(({ code, row }) => `${code} ${row}`)).toEqual([
      "account_not_found 1",
      "account_not_found 2",
    ]);
  });

  test("a new post is shown as the plan has it, also for an account that is gone", async () => {
    const parties = await createParties();
    const [x, gone] = [await createAccount(parties.agent), await createAccount(parties.agent, "instagram")];
    const image = await createMedia(parties.agent);
    const { id, planHash } = await requestPost(parties, {
      targets: [{ accountId: x, caption: "Own" }, { accountId: gone }],
      mediaUrls: [image.url],
    });
    const before = await reviewApproval(parties.person, { id });
    expect(before).toMatchObject({
      problems: [],
      newPosts: [{ planHash, targets: [{ accountId: x, effectiveCaption: "Own" }, { accountId: gone }] }],
    });
    await updateAccountRow(gone, { disconnected_at: 1 });
    expect((await reviewApproval(parties.person, { id })).newPosts[0]?.targets).toMatchObject([
      { accountId: x },
      { accountId: gone, platformOptions: { placement: "timeline", share: true } },
    ]);
  });
});

test("a page of approvals ends at 4 MiB, and the next ones have the rest", async () => {
  const parties = await createParties();
  const { agent, person } = parties;
  const { id } = await requestPost(parties, { accountIds: [await createAccount(agent)] });
  const details = JSON.stringify([{ code: "post_changed", message: "x".repeat(1024 ** 2) }]);
  await env.DB.prepare(
    `INSERT INTO approvals (id, user_id, workspace_id, token_hash, kind, plan, plan_hash, requested_by, via, state, created_at, expires_at,
       decided_at, details)
     SELECT a.id || n.value, a.user_id, a.workspace_id, a.token_hash || n.value, a.kind, a.plan, a.plan_hash, a.requested_by, a.via, 'stale',
       a.created_at, a.expires_at, 100 - n.value, ?2 FROM approvals a CROSS JOIN json_each('[1,2,3,4,5,6,7,8]') n WHERE a.id = ?1`,
  )
    .bind(id, details)
    .run();
  const pages: number[] = [];
  const ids: string[] = [];
  for (let more = true; more;) {
    const page = await listApprovals(agent, { limit: 100, offset: ids.length });
    pages.push(page.approvals.length);
    ids.push(...page.approvals.map((approval) => approval.id));
    more = page.hasMore;
  }
  expect(pages).toEqual([4, 3, 2]);
  expect(ids).toEqual([id, ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${id}${number}`)]);
  expect((await listApprovalsOfUser(person, { limit: 2, offset: 0 })).hasMore).toBe(true);
});

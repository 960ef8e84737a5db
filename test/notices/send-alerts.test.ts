import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import type { Mail } from "#core/mailer.ts";
import { openDb } from "#db/client.ts";
import { dismissNotice, listNotices, sendAlerts, setMutedAlerts } from "#notices/index.ts";
import { claimStatements, mailedStatements, workspacesToMailStatement } from "#notices/store-alert-mails.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  schedulePost,
  type TestContext,
  updateAccountRow,
} from "../posts/test-context.ts";
import { costlySteps, explainingD1 } from "../support/explaining-d1.ts";
import { createOwner, endTarget, insertNotice, insertWebhook } from "./test-context.ts";

let sent: Mail[] = [];
const mailer = {
  send: (mail: Mail) => {
    sent.push(mail);
    return Promise.resolve();
  },
};

beforeEach(async () => {
  freezeClock();
  sent = [];
  vi.spyOn(console, "info").mockImplementation(() => undefined);
  await env.DB.prepare("DELETE FROM notices").run();
});

type OwnerOptions = Parameters<typeof createOwner>[1];

async function createOwnerContext(options?: OwnerOptions): Promise<TestContext & { readonly email: string }> {
  const ctx = createTestContext({ config: { planForAll: null } });
  return { ...ctx, email: await createOwner(ctx, options) };
}

const run = (ctx: TestContext) => sendAlerts({ ...ctx, mailer });

async function failPost(ctx: TestContext, message = "Too long."): Promise<{ id: string; account: string }> {
  const account = await createAccount(ctx);
  const { id } = await schedulePost(ctx, { accountIds: [account] });
  await endTarget(id, account, "failed", { message });
  return { id, account };
}

async function unmailedCount(ctx: TestContext): Promise<number | null> {
  return await env.DB.prepare("SELECT count(*) AS n FROM notices WHERE workspace_id = ? AND mailed_at IS NULL")
    .bind(ctx.actor.workspaceId)
    .first<number>("n");
}

describe("a mail", () => {
  test("tells what failed, why, what to do and where, in the owner's zone", async () => {
    const ctx = await createOwnerContext({ timeZone: "America/New_York" });
    const { id } = await failPost(ctx, "The text is <b>too</b> long & more.");
    await run(ctx);
    expect(sent).toHaveLength(1);
    const [mail] = sent;
    expect(mail).toMatchObject({ to: ctx.email, subject: "“Hello” was not published everywhere" });
    expect(mail?.text).toMatch(
      new RegExp(
        `^“Hello” was not published everywhere\n  Scheduled for Wed,? 15 May 2030,? (at )?09:00\\.\n  X \\(account-\\d+\\): The text is <b>too</b> long & more\\.\n  Repair the reason, then try again or change the post on its page\\.\n  Look at the post: ${ctx.config.origin}/dashboard/posts/${id}\n\nTimes are in America/New York\\. You get this mail because you own the workspace “Shop”; choose what is sent: ${ctx.config.origin}/dashboard/profile\n$`,
      ),
    );
    expect(mail?.html).toContain("The text is &lt;b&gt;too&lt;/b&gt; long &amp; more.");
    expect(mail?.html).toContain(`<a href="${ctx.config.origin}/dashboard/posts/${id}">Look at the post</a>`);
    expect(mail?.html).not.toContain("<b>");
  });

  test("has a subject of one line, whatever the caption says", async () => {
    const ctx = await createOwnerContext();
    const { id } = await failPost(ctx);
    await env.DB.prepare("UPDATE posts SET caption = ? WHERE id = ?")
      .bind("Hi\r\nBcc: victim@example.com\u2028\u0000", id)
      .run();
    await run(ctx);
    expect(sent[0]?.subject).toBe("“Hi Bcc: victim@example.com” was not published everywhere");
  });

  test("collects everything that happened, oldest first, and describes twenty", async () => {
    const ctx = await createOwnerContext();
    for (let i = 1; i <= 25; i++) {
      const id = await insertWebhook(ctx, { description: `hook ${i}` });
      await insertNotice(ctx, "webhook_disabled", id, NOON - 100 + i);
    }
    await run(ctx);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.subject).toBe("25 things need your attention in “Shop”");
    expect(sent[0]?.text.match(/hook \d+/g)?.slice(0, 2)).toEqual(["hook 1", "hook 2"]);
    expect(sent[0]?.text.match(/hook \d+/g)).toHaveLength(20);
    expect(sent[0]?.text).toContain(`And 5 more: ${ctx.config.origin}/notices`);
    expect(await unmailedCount(ctx)).toBe(0);
  });

  test("names the workspace where another one is active", async () => {
    const ctx = await createOwnerContext();
    await failPost(ctx);
    await env.DB.prepare("UPDATE users SET active_workspace_id = 'other' WHERE id = ?").bind(ctx.actor.userId).run();
    await run(ctx);
    expect(sent[0]?.text).toContain("All this is in the workspace “Shop”. Switch to it");
  });
});

describe("mails are sent", () => {
  test("once, and not again for the same", async () => {
    const ctx = await createOwnerContext();
    await failPost(ctx);
    await run(ctx);
    freezeClock(NOON + DAY);
    await run(ctx);
    expect(sent).toHaveLength(1);
    expect((await listNotices(ctx)).notices).toHaveLength(1);
  });

  test("at most once in ten minutes for a workspace, with everything that came in between", async () => {
    const [ctx, other] = [await createOwnerContext(), await createOwnerContext()];
    await failPost(ctx);
    await run(ctx);
    freezeClock(NOON + MINUTE);
    await failPost(ctx);
    await failPost(ctx);
    await failPost(other);
    await run(ctx);
    expect(sent.map(({ to }) => to)).toEqual([ctx.email, other.email]);
    freezeClock(NOON + 10 * MINUTE - 1);
    await run(ctx);
    expect(sent).toHaveLength(2);
    freezeClock(NOON + 10 * MINUTE);
    await run(ctx);
    expect(sent[2]).toMatchObject({ to: ctx.email, subject: "2 things need your attention in “Shop”" });
    expect(sent).toHaveLength(3);
  });

  test("once by cron runs that overlap", async () => {
    const ctx = await createOwnerContext();
    await failPost(ctx);
    await Promise.all([run(ctx), run(ctx), run(ctx)]);
    expect(sent).toHaveLength(1);
  });

  test("for a new failure of a post that was told of before", async () => {
    const ctx = await createOwnerContext();
    const { id, account } = await failPost(ctx);
    await run(ctx);
    freezeClock(NOON + 20 * MINUTE);
    await env.DB.prepare("UPDATE post_targets SET state = 'pending' WHERE post_id = ?").bind(id).run();
    await endTarget(id, account, "failed", { message: "Again." });
    await run(ctx);
    expect(sent).toHaveLength(2);
    expect(sent[1]?.text).toContain("Again.");
  });

  test("not for what is settled or dismissed before", async () => {
    const ctx = await createOwnerContext();
    await failPost(ctx);
    const account = await createAccount(ctx);
    await updateAccountRow(account, { status: "needs_reconnect" });
    await updateAccountRow(account, { status: "active" });
    const [notice] = (await listNotices(ctx)).notices;
    await dismissNotice(ctx, notice!);
    await run(ctx);
    expect(sent).toEqual([]);
    expect(await unmailedCount(ctx)).toBe(0);
  });

  test("not of kinds that the user muted, which do not hold up others", async () => {
    const ctx = await createOwnerContext();
    await setMutedAlerts(ctx, ["post_failed"]);
    await failPost(ctx);
    await run(ctx);
    expect(sent).toEqual([]);
    await setMutedAlerts(ctx, []);
    freezeClock(NOON + MINUTE);
    await run(ctx);
    expect(sent).toEqual([]);
    const account = await createAccount(ctx);
    await updateAccountRow(account, { status: "needs_reconnect", status_reason: "Gone." });
    // The trigger takes the time of the database.
    await env.DB.prepare("UPDATE notices SET at = ? WHERE subject_id = ?").bind(NOON, account).run();
    await run(ctx);
    expect(sent.map(({ subject }) => subject)).toEqual([expect.stringContaining("needs a new login")]);
  });

  test("not to an address that is not proved, nor of what is days old", async () => {
    const [unproved, late] = [await createOwnerContext({ isVerified: false }), await createOwnerContext()];
    await failPost(unproved);
    await insertNotice(late, "webhook_disabled", await insertWebhook(late, { description: "" }), NOON - 3 * DAY);
    await run(unproved);
    expect(sent).toEqual([]);
    expect([await unmailedCount(unproved), await unmailedCount(late)]).toEqual([0, 0]);
  });

  test("not without a mailer, and then nothing is marked", async () => {
    const ctx = await createOwnerContext();
    await failPost(ctx);
    ctx.counting.reset();
    await sendAlerts({ ...ctx, mailer: null });
    expect(ctx.counting.count.roundTrips).toBe(0);
    await run(ctx);
    expect(sent).toHaveLength(1);
  });
});

describe("no mail is lost", () => {
  test("when the mail service fails: it is asked again ten minutes later, and others are not held up", async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [ctx, other] = [await createOwnerContext(), await createOwnerContext()];
    await failPost(ctx);
    await failPost(other);
    const failing = {
      send: (mail: Mail) => (mail.to === ctx.email ? Promise.reject(new Error("down")) : mailer.send(mail)),
    };
    await sendAlerts({ ...ctx, mailer: failing });
    expect(sent.map(({ to }) => to)).toEqual([other.email]);
    expect(errors).toHaveBeenCalledOnce();
    freezeClock(NOON + 10 * MINUTE - SECOND);
    await run(ctx);
    expect(sent).toHaveLength(1);
    freezeClock(NOON + 10 * MINUTE);
    await run(ctx);
    expect(sent.map(({ to }) => to)).toEqual([other.email, ctx.email]);
    errors.mockRestore();
  });

  test.each([
    ["before the mail", { sends: false, copies: 1 }],
    ["between the mail and its mark", { sends: true, copies: 2 }],
  ])("when the process dies %s", async (_, { sends, copies }) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const ctx = await createOwnerContext();
    await failPost(ctx);
    let isDead = false;
    const dying = {
      send: async (mail: Mail) => {
        isDead = true;
        await (sends ? mailer.send(mail) : Promise.reject(new Error("killed")));
      },
    };
    // After its death the process writes nothing more.
    const d1 = new Proxy(env.DB, {
      get: (target, name) => {
        if (isDead) {
          throw new Error("killed");
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    await sendAlerts({ ...ctx, db: openDb(d1), mailer: dying });
    expect(await unmailedCount(ctx)).toBe(1);
    for (const minutes of [1, 10, 20, 30]) {
      freezeClock(NOON + minutes * MINUTE);
      await run(ctx);
    }
    expect(sent).toHaveLength(copies);
    expect(await unmailedCount(ctx)).toBe(0);
    errors.mockRestore();
  });
});

describe("the cost", () => {
  test("is one round trip that reads nothing while there is nothing to tell", async () => {
    const ctx = await createOwnerContext();
    for (let i = 0; i < 50; i++) {
      await insertNotice(ctx, "post_failed", `told-${i}`, i);
    }
    await env.DB.prepare("UPDATE notices SET mailed_at = 1").run();
    ctx.counting.reset();
    await run(ctx);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(ctx.counting.count.rowsRead).toBeLessThan(5);
  });

  test("does not grow with the notices that wait for the next mail", async () => {
    const ctx = await createOwnerContext();
    for (let i = 0; i < 200; i++) {
      await insertNotice(ctx, "post_failed", `waits-${i}`, NOON);
    }
    await env.DB.prepare("UPDATE workspaces SET alerts_mailed_at = ? WHERE id = ?")
      .bind(NOON - MINUTE, ctx.actor.workspaceId)
      .run();
    ctx.counting.reset();
    await run(ctx);
    expect(ctx.counting.count.rowsRead).toBeLessThan(10);
  });

  test("no statement scans a table", async () => {
    const db = { db: openDb(explainingD1(env.DB)) }.db;
    const rows = [{ kind: "post_failed", subject_id: "s", at: 1, subject: null }] as const;
    const mail = { workspaceId: "w", now: 1, notSince: 1, limit: 1 };
    const plans = await env.DB.batch([
      workspacesToMailStatement(db, mail),
      ...Object.values(claimStatements(db, mail)),
      ...mailedStatements(db, { workspaceId: "w", rows, now: 1, isSent: false }),
    ]);
    // The recursion reads its own queue; the posts that a notice names are sorted.
    expect(costlySteps(plans).filter((step) => step !== "SCAN waiting")).toEqual([]);
  });
});

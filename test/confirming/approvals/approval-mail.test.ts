import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import type { Mailer } from "#core/mailer.ts";
import { createAccount, freezeClock, NOON, type TestContext } from "../../posts/test-context.ts";
import { createParties, requestPost } from "./approval-context.ts";

beforeEach(() => freezeClock());

type Mail = Parameters<Mailer["send"]>[0];

async function createMailedAgent(
  verifiedAt: number | null = 1,
): Promise<{ agent: TestContext; mails: Mail[]; x: string }> {
  const { agent } = await createParties();
  const mails: Mail[] = [];
  const { userId, workspaceId } = agent.actor;
  await env.DB.prepare(
    "INSERT INTO users (id, email, active_workspace_id, email_verified_at, created_at) VALUES (?1, ?1 || '@test.example', ?2, ?3, 1)",
  )
    .bind(userId, workspaceId, verifiedAt)
    .run();
  const mailer: Mailer = {
    send: (mail) => {
      mails.push(mail);
      return Promise.resolve();
    },
  };
  return { agent: { ...agent, mailer }, mails, x: await createAccount(agent) };
}

describe("the mail about a request", () => {
  test("names the agent and the first words, and has no secret and no more of the text", async () => {
    const { agent, mails, x } = await createMailedAgent();
    const caption = `A new glaze\n\u202Ewith ${"words ".repeat(10)}the end`;
    await requestPost({ agent }, { accountIds: [x], caption });
    await agent.waitForDeferred();
    expect(mails).toHaveLength(1);
    const [mail] = mails;
    expect(mail?.to).toBe(`${agent.actor.userId}@test.example`);
    expect(mail?.subject).toBe("Studio assistant asks for your approval");
    expect(mail?.text).toContain("schedule a post: “A new glaze with words words");
    expect(mail?.text).not.toContain("the end");
    expect(mail?.text).toContain(`${agent.config.origin}/approvals\n`);
    expect(mail?.text).not.toMatch(/[?=#]/);
  });

  test("comes at most once in fifteen minutes, and not for a repeated confirm", async () => {
    const { agent, mails, x } = await createMailedAgent();
    const request = () => requestPost({ agent }, { accountIds: [x] });
    await Promise.all(Array.from({ length: 4 }, request));
    await agent.waitForDeferred();
    vi.setSystemTime(NOON + 15 * MINUTE - 1);
    await request();
    await agent.waitForDeferred();
    expect(mails).toHaveLength(1);
    vi.setSystemTime(NOON + 15 * MINUTE);
    await request();
    await agent.waitForDeferred();
    expect(mails).toHaveLength(2);
  });

  test("goes to no address that was not verified, and a mailer that fails changes nothing", async () => {
    const unverified = await createMailedAgent(null);
    await requestPost(unverified, { accountIds: [unverified.x] });
    await unverified.agent.waitForDeferred();
    expect(unverified.mails).toEqual([]);
    const { agent, x } = await createMailedAgent();
    const failing = { ...agent, mailer: { send: () => Promise.reject(new Error("no mail today")) } };
    expect(await requestPost({ agent: failing }, { accountIds: [x] })).toMatchObject({ planHash: expect.any(String) });
    await agent.waitForDeferred();
  });
});

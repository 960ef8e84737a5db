import { describe, test } from "vitest";
import { disconnectStatement, listAccounts, listBoards } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { RefusalError } from "#core/errors.ts";
import type { Platform } from "#core/platform.ts";
import { failed, rateLimited, reconnect, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { completeConnect, createTestServices, createTestUser } from "./test-context.ts";
import { postableAccount, ScriptedPlatform } from "./scripted-platform.ts";

const BOARDS = [{ id: "549755885175000001", name: "Glazes", description: null, privacy: "PUBLIC", pinCount: 5 }];

async function connectAccount() {
  const platform = new ScriptedPlatform("pinterest");
  platform.boards = succeeded(BOARDS);
  platform.addUser("ada", [postableAccount("1")]);
  const services = createTestServices(platform);
  const ctx = await createTestUser(services);
  await completeConnect(ctx, "pinterest", "ada");
  const [account] = await listAccounts(ctx);
  return { platform, services, ctx, id: account!.id };
}

async function refusal(ctx: Context, accountId: string, platform: Platform = "pinterest") {
  try {
    return await listBoards(ctx, { accountId, platform });
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal;
    }
    throw error;
  }
}

describe("boards", () => {
  test("are what the platform lists", async ({ expect }) => {
    const { ctx, id } = await connectAccount();
    expect(await listBoards(ctx, { accountId: id, platform: "pinterest" })).toEqual(BOARDS);
  });

  test("of another user's, an unknown, a disconnected or another platform's account: the same answer", async ({
    expect,
  }) => {
    const { ctx, services, id } = await connectAccount();
    const otherUser = await createTestUser(services);
    const missing = await refusal(ctx, crypto.randomUUID());
    expect(missing).toEqual({ code: "not_found", message: "Pinterest account not found" });
    expect(await refusal(otherUser, id)).toEqual(missing);
    expect(await refusal(ctx, "not-a-uuid")).toEqual(missing);
    expect(await refusal(ctx, id, "x")).toMatchObject({ code: "not_found" });
    await disconnectStatement(ctx.db, ctx.actor, id, Date.now()).run();
    expect(await refusal(ctx, id)).toEqual(missing);
  });

  test.for([
    [temporary("Pinterest did not answer.", { httpStatus: 503 }), { code: "rate_limited", retryAfterSeconds: 30 }],
    [
      rateLimited("Too many.", { httpStatus: 429, retryAfterSeconds: 7 }),
      { code: "rate_limited", retryAfterSeconds: 7 },
    ],
    [rejected("No boards for you.", { httpStatus: 403 }), { code: "invalid_state", message: "No boards for you." }],
  ] as const)(
    "that the platform refuses (%#) say what to do, and the account stays active",
    async ([fault, expected], { expect }) => {
      const { ctx, id, platform } = await connectAccount();
      platform.boards = failed(fault);
      expect(await refusal(ctx, id)).toMatchObject(expected);
      expect(await listAccounts(ctx)).toMatchObject([{ status: "active" }]);
    },
  );

  test("of an ended login mark the account", async ({ expect }) => {
    const { ctx, id, platform } = await connectAccount();
    platform.boards = failed(reconnect("Log in again.", { httpStatus: 401 }));
    expect(await refusal(ctx, id)).toMatchObject({ code: "invalid_state", message: "Log in again." });
    expect(await listAccounts(ctx)).toMatchObject([{ status: "needs_reconnect", statusReason: "Log in again." }]);
    expect(await refusal(ctx, id)).toMatchObject({ code: "invalid_state" });
  });
});

import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { ORIGIN } from "../../support/origin.ts";
import { createCaller } from "../../support/create-caller.ts";

describe("GET /accounts/pinterest-boards", () => {
  test("200: every board that accepts pins", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "pinterest");
    const { status, body } = await callApi(caller, {
      method: "GET",
      path: `/accounts/pinterest-boards?account_id=${account.id}`,
    });
    expect(status).toBe(200);
    expect(body.boards.length).toBeGreaterThanOrEqual(3);
    for (const board of body.boards) {
      expect(board).toMatchObject({ id: expect.stringMatching(/^\d+$/), name: expect.any(String) });
    }
  });

  test("404: an account of another platform and another user's account look like a missing one", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "pinterest");
    const other = await connectOneAccount(caller, "x");
    const listBoards = async (requester: typeof caller, id: string) => {
      const { status, body } = await callApi(requester, {
        method: "GET",
        path: `/accounts/pinterest-boards?account_id=${id}`,
      });
      return { status, error: body.error };
    };
    const missing = await listBoards(caller, crypto.randomUUID());
    expect(missing.status).toBe(404);
    expect(await listBoards(caller, other.id)).toEqual(missing);
    expect(await listBoards(await createCaller(), account.id)).toEqual(missing);
  });
});

test("a preview reports unknown boards", async ({ expect }) => {
  const caller = await createCaller();
  const account = await connectOneAccount(caller, "pinterest");
  const { body: listed } = await callApi(caller, {
    method: "GET",
    path: `/accounts/pinterest-boards?account_id=${account.id}`,
  });
  const preview = async (board: string) =>
    await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "A new glaze",
        scheduled_at: isoInDays(1),
        targets: [{ account_id: account.id, platform_options: { board_ids: [board] } }],
        media_urls: [`${ORIGIN}/sandbox/media/portrait.jpg`],
      },
    });
  expect((await preview(listed.boards[0].id)).status).toBe(200);
  const refused = await preview("999999999999999999");
  expect(refused.status).toBe(400);
  expect(refused.body.details).toMatchObject([
    { code: "board_not_found", param: "targets[0].platform_options.board_ids[0]", platform: "pinterest" },
  ]);
});

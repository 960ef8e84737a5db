import { afterEach, beforeEach, test, vi } from "vitest";
import { MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import { connectOneAccount, scheduleTextPost } from "../support/api-workflows.ts";
import { callTool } from "../support/call-mcp.ts";
import { createCaller } from "../support/create-caller.ts";

/** Far ahead, so that no alarm fires by itself. */
const START = Date.UTC(2040, 4, 2, 9, 0, 0, 250);
const IN_TWO_MINUTES = toIsoInstant(START + 2 * MINUTE + SECOND - 250);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

test("preview_post takes now, says what it means, and confirm_preview tells the time", async ({ expect }) => {
  const caller = await createCaller();
  const { id } = await connectOneAccount(caller);
  const args = { caption: "Doors are open", scheduled_at: "now", account_ids: [id] };
  const previewed = await callTool(caller, "preview_post", args);
  expect(previewed.text).toContain("Preview of a new text post for now, which is the time of the confirm.");
  expect(previewed.data).toMatchObject({ preview: { scheduled_at: "now", warnings: [] } });
  vi.setSystemTime(START + 2 * MINUTE);
  const token = { confirmation_token: previewed.data["confirmation_token"] };
  const confirmed = await callTool(caller, "confirm_preview", token);
  expect(confirmed.data).toMatchObject({ posts: [{ scheduled_at: IN_TWO_MINUTES }], already_confirmed: false });
  expect(confirmed.text).toContain("09:02 (UTC)");
  vi.setSystemTime(START + 3 * MINUTE);
  const again = await callTool(caller, "confirm_preview", token);
  expect(again.data).toMatchObject({ posts: [{ scheduled_at: IN_TWO_MINUTES }], already_confirmed: true });
});

test("preview_edit moves a post to now", async ({ expect }) => {
  const caller = await createCaller();
  const { id: accountId } = await connectOneAccount(caller);
  const { id } = await scheduleTextPost(caller, accountId);
  const previewed = await callTool(caller, "preview_edit", { post_ids: [id], scheduled_at: "now" });
  expect(previewed.text).toContain("afterwards now, which is the time of the confirm:");
  vi.setSystemTime(START + 2 * MINUTE);
  const token = { confirmation_token: previewed.data["confirmation_token"] };
  const confirmed = await callTool(caller, "confirm_preview", token);
  expect(confirmed.data).toMatchObject({ posts: [{ id, scheduled_at: IN_TWO_MINUTES }] });
});

test("save_draft keeps now without a zone, and preview_draft means its confirm", async ({ expect }) => {
  const caller = await createCaller();
  const { id } = await connectOneAccount(caller);
  const content = { caption: "Doors are open", scheduled_at: "now", account_ids: [id] };
  const { data } = await callTool(caller, "save_draft", { content });
  expect(data).toMatchObject({ draft: { content } });
  expect((data as { draft: { content: object } }).draft.content).not.toHaveProperty("time_zone");
  const draftId = (data as { draft: { id: string } }).draft.id;
  const previewed = await callTool(caller, "preview_draft", { draft_id: draftId });
  expect(previewed.data).toMatchObject({ preview: { scheduled_at: "now" } });
});

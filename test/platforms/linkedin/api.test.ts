import { test } from "vitest";
import { connectAccounts } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

test("one login connects the member and the page as two accounts", async ({ expect }) => {
  const accounts = await connectAccounts(await createCaller(), "linkedin");
  expect(accounts).toHaveLength(2);
  expect(new Set(accounts.map((account) => account.username)).size).toBe(2);
});

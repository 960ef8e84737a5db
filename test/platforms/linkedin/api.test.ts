import { test } from "vitest";
import { connectAccounts } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/api-caller.ts";

test("the person and the page are accounts of their own behind one login", async ({ expect }) => {
  const accounts = await connectAccounts(await createCaller(), "linkedin");
  expect(accounts).toHaveLength(2);
  expect(new Set(accounts.map((account) => account.username)).size).toBe(2);
});

import { test } from "vitest";
import { connect } from "../../support/journey.ts";
import { newCaller } from "../../support/user.ts";

test("the person and the page are accounts of their own behind one login", async ({ expect }) => {
  const accounts = await connect(await newCaller(), "linkedin");
  expect(accounts).toHaveLength(2);
  expect(new Set(accounts.map((account) => account.username)).size).toBe(2);
});

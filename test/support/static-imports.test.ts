import { exports } from "cloudflare:workers";
import { test } from "vitest";
import { createUniqueFile, uploadFile } from "../journeys/journey-driver.ts";
import { connectOneAccount } from "./api-workflows.ts";
import { callApi } from "./call-api.ts";
import { createCaller } from "./create-caller.ts";
import { ORIGIN } from "./origin.ts";

test("requests that arrive together are all answered when the code of their answers is loaded with them", async ({
  expect,
}) => {
  const pages = await Promise.all(
    ["/v1/openapi.json", "/docs", "/mcp", "/operator/facts"].flatMap((path) =>
      Array.from({ length: 8 }, async () => (await exports.default.fetch(`${ORIGIN}${path}`)).status),
    ),
  );
  expect(new Set(pages)).not.toContain(500);
  const caller = await createCaller();
  const { id: account_id } = await connectOneAccount(caller, "x");
  const image = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
  const body = {
    caption: "Together",
    account_ids: [account_id],
    media_items: [image],
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => callApi(caller, { method: "POST", path: "/posts/preview", body })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

import { test } from "vitest";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import { connectInBrowser } from "./journey-driver.ts";

test("a mention by URN stays one where the platform has them, and is the name elsewhere; the preview shows both", async ({
  expect,
}) => {
  const caller = await createCaller();
  const ids: string[] = [];
  for (const platform of ["linkedin", "x", "mastodon"] as const) {
    ids.push(...(await connectInBrowser(caller, platform)).accounts.slice(0, 1).map(({ id }) => id));
  }
  const caption = "Fired by @[Studio Ton](urn:li:organization:2414183), not @[nobody](mailto:a)";
  const { status, body } = await callApi(caller, {
    method: "POST",
    path: "/posts/preview",
    body: {
      caption,
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      targets: ids.map((account_id) => ({ account_id })),
    },
  });
  expect(status).toBe(200);
  const plain = "Fired by Studio Ton, not @[nobody](mailto:a)";
  const shown = body.preview.targets.map(
    ({ platform, effective_caption: text }: { platform: string; effective_caption: string }) => [platform, text],
  );
  expect(Object.fromEntries(shown)).toEqual({ linkedin: caption, x: plain, mastodon: plain });
});

import { afterEach, beforeEach, describe, test, vi } from "vitest";
import {
  createClient,
  createPageClient,
  errorCodeOf,
  listPages,
  requestLongToken,
  SCOPES,
  WORKSHOP,
} from "./facebook-client.ts";
import { changeSettings, ORIGIN } from "./sandbox-api.ts";

/* The Instagram API with Facebook Login, as the references of IG User and IG Container describe it. */

const ACCOUNT = "17841400008461001";
const SCOPE = `${SCOPES},instagram_basic,instagram_content_publish`;
const IMAGE = { image_url: `${ORIGIN}/sandbox/media/portrait.jpg` };
const DAY_MS = 86_400_000;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await changeSettings("facebook", { processing_ms: 5000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const advanceMs = (ms: number) => vi.setSystemTime(Date.now() + ms);
const connect = async (overrides: Record<string, string> = {}) =>
  createClient(await requestLongToken({ scope: SCOPE, ...overrides }));
const idOf = async (response: Response): Promise<string> => (await response.json<{ id: string }>()).id;

test("the Pages of a login name their professional accounts, with the permission only", async ({ expect }) => {
  const fields = "id,instagram_business_account{id,username}";
  const listed = async (scope: string) => {
    const { request } = createClient(await requestLongToken({ scope }));
    return (await (await request("/me/accounts", { fields })).json<{ data: unknown[] }>()).data;
  };
  expect(await listed(SCOPE)).toContainEqual({
    id: WORKSHOP,
    instagram_business_account: { id: ACCOUNT, username: "page_pictures_1" },
  });
  expect(await listed(SCOPES)).toContainEqual({ id: WORKSHOP });
});

describe("publishing", () => {
  test("takes a container of this account that is finished and less than a day old", async ({ expect }) => {
    const ada = await connect();
    const publish = (creation_id: string) => ada.post(`/${ACCOUNT}/media_publish`, { creation_id });
    const container = await idOf(await ada.post(`/${ACCOUNT}/media`, IMAGE));
    await ada.request(`/${container}`, { fields: "status_code" });
    expect(await errorCodeOf(await publish(container))).toBe("400 9007/2207027");
    advanceMs(5000);
    const expiring = await idOf(await ada.post(`/${ACCOUNT}/media`, IMAGE));
    const media = await idOf(await publish(container));
    expect(await (await ada.request(`/${media}`, { fields: "permalink" })).json()).toHaveProperty("permalink");
    expect(await errorCodeOf(await publish("17000000000000000"))).toBe("400 24/2207006");
    advanceMs(DAY_MS);
    expect(await errorCodeOf(await publish(expiring))).toBe("400 -2/2207020");
  });

  test("works with the token of the Page too, but containers are read with the user's", async ({ expect }) => {
    const ada = await connect();
    const page = (await listPages(ada.token)).find(({ id }) => id === WORKSHOP);
    const workshop = createClient(page?.access_token ?? "");
    const container = await idOf(await workshop.post(`/${ACCOUNT}/media`, IMAGE));
    expect(await errorCodeOf(await workshop.request(`/${container}`, { fields: "status_code" }))).toBe("400 100/33");
    expect((await ada.request(`/${container}`, { fields: "status_code" })).status).toBe(200);
    advanceMs(5000);
    expect((await workshop.post(`/${ACCOUNT}/media_publish`, { creation_id: container })).status).toBe(200);
  });

  test("is refused without the permission, without a task that allows it, and for another user's account", async ({
    expect,
  }) => {
    const reader = await connect({ scope: `${SCOPES},instagram_basic` });
    expect((await reader.request(`/${ACCOUNT}`, { fields: "username" })).status).toBe(200);
    expect(await errorCodeOf(await reader.post(`/${ACCOUNT}/media`, IMAGE))).toMatch(/^403 /);
    expect(await errorCodeOf(await reader.request(`/${ACCOUNT}/content_publishing_limit`))).toMatch(/^403 /);
    const dora = await connect({ login: "dora" });
    expect(await errorCodeOf(await dora.post("/17841400008461004/media", IMAGE))).toMatch(/^403 /);
    expect((await dora.post(`/${ACCOUNT}/media`, IMAGE)).ok).toBe(false);
    const shop = await createPageClient(undefined, { scope: SCOPE });
    expect((await shop.post(`/${ACCOUNT}/media`, IMAGE)).ok).toBe(false);
  });

  test("of a container of another user is refused", async ({ expect }) => {
    const [ada, dora] = [await connect(), await connect({ login: "dora" })];
    const container = await idOf(await ada.post(`/${ACCOUNT}/media`, IMAGE));
    expect((await dora.request(`/${container}`, { fields: "status_code" })).ok).toBe(false);
  });
});

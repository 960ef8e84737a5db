import { onTestFinished } from "vitest";
import { CloudflareApi } from "./cloudflare-api.ts";
import { answerFromCode, Operator } from "./operator.ts";

/** An account with nothing in it, and an operator who has just cloned the repository; both are gone after the test. */
export async function freshAccount(
  options: { readonly migrations?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly api: CloudflareApi; readonly operator: Operator }> {
  const api = new CloudflareApi();
  api.answer = answerFromCode;
  await api.start();
  const operator = await Operator.withClone(api, options.migrations);
  onTestFinished(async () => {
    await api.stop();
    await operator.remove();
  });
  return { api, operator };
}

/** What the account has, without what differs from run to run. */
export function inventory({ account }: CloudflareApi) {
  const worker = account.workers.get("almanac");
  return {
    databases: account.databases.map(({ name }) => name),
    namespaces: account.namespaces.map(({ title }) => title),
    buckets: account.buckets.map(({ name }) => name),
    vars: worker?.vars,
    secrets: worker?.secrets,
    bindings: worker?.current.bindings.map(({ name }) => name).toSorted(),
    subdomain: worker?.subdomain,
    schedules: worker?.schedules,
    migrations: account.databases.find(({ name }) => name === "almanac")?.migrations,
  };
}

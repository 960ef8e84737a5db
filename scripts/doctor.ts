import { readdir, readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { ApiFailure } from "./deploy/cloudflare.ts";
import { namesFrom, readTrackedConfig } from "./deploy/config-file.ts";
import { loadDotEnv, signIn } from "./deploy/credential.ts";
import { DeployFailure } from "./deploy/failure.ts";
import { readValues } from "./deploy/read-values.ts";
import { readRunningWorker } from "./deploy/running.ts";
import { ofKind, type Values } from "./deploy/settings.ts";
import { readVersion } from "./deploy/version.ts";
import { askChecks, askFacts, type ServiceAddress } from "./doctor/ask-service.ts";
import { checkCloudflare } from "./doctor/check-cloudflare.ts";
import { checkFacts, type Expected } from "./doctor/check-facts.ts";
import { checkPages } from "./doctor/check-pages.ts";
import { checkPlatforms } from "./doctor/check-platforms.ts";
import { countOf, red, type Row, toTable } from "./doctor/row.ts";
import { confirmAtTerminal, settle } from "./doctor/settle.ts";
import { withoutTexts } from "./doctor/without-texts.ts";

interface Report {
  readonly origin: string | null;
  readonly rows: readonly Row[];
  /** Texts that must never be printed, even if the service or a platform repeats them. */
  readonly secrets: readonly string[];
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir("migrations")).filter((name) => name.endsWith(".sql")).toSorted();
}

/** Reads the service's description of itself, or returns the row that says why that failed. */
async function checkService(
  address: ServiceAddress,
  expected: Omit<Expected, "migrations">,
  isLive: boolean,
): Promise<Row[]> {
  const facts = await askFacts(address);
  if (!facts.ok) {
    return [facts.row];
  }
  const checks = isLive ? await askChecks(address) : null;
  return [
    ...checkFacts(facts.value, { ...expected, migrations: await migrationFiles() }),
    ...(await checkPages(facts.value)),
    ...(checks !== null && !checks.ok ? [checks.row] : []),
    ...checkPlatforms(facts.value.platforms, {
      checks: checks?.ok === true ? checks.value : null,
      isSimulated: facts.value.isSimulated,
      now: facts.value.now,
    }),
  ];
}

/** The address and key of the deployed service, for commands that need nothing else. */
async function remoteAddress(): Promise<ServiceAddress> {
  await loadDotEnv();
  const values = await readValues(process.env);
  const names = namesFrom(await readTrackedConfig(), values.get("WORKER_NAME"));
  const { api, accountId } = await signIn(values.get("JURISDICTION"));
  const origin = (await readRunningWorker(api, accountId, names.worker))?.vars.get("ORIGIN");
  const operatorKey = values.get("OPERATOR_KEY");
  if (origin === undefined || operatorKey === undefined) {
    throw new DeployFailure(
      "there is no service to ask, or OPERATOR_KEY is not set",
      "run `npm run doctor -- --remote`",
    );
  }
  return { origin, operatorKey };
}

async function settleQuestions(
  platform: string,
  accountId: string | undefined,
  address: ServiceAddress,
): Promise<void> {
  const accountKey = process.env["ALMANAC_KEY"] ?? "";
  if (accountId === undefined || accountKey === "") {
    throw new DeployFailure(
      "--account or ALMANAC_KEY is missing",
      "name one of your accounts (GET /accounts) and set ALMANAC_KEY to an API key of your user",
    );
  }
  const input = { address, version: await readVersion(), platform, accountId, accountKey, confirm: confirmAtTerminal };
  console.log(withoutTexts(await settle(input), [accountKey, address.operatorKey]));
}

/** The sandbox's key may stand in the repository, because it opens only simulated accounts on this machine. */
async function sandboxKey(): Promise<string> {
  const config = await readFile("wrangler.toml", "utf8");
  return /^OPERATOR_KEY = "([^"]+)"$/m.exec(config)?.[1] ?? "";
}

async function checkLocal(port: string, isLive: boolean): Promise<Report> {
  const origin = `http://localhost:${port}`;
  const operatorKey = await sandboxKey();
  return {
    origin,
    rows: await checkService({ origin, operatorKey }, { version: null, origin, deployedAt: null }, isLive),
    secrets: [operatorKey],
  };
}

function secretsOf(values: Values): string[] {
  return [...ofKind(values, "secret").values(), process.env["CLOUDFLARE_API_TOKEN"] ?? ""];
}

async function checkRemote(isLive: boolean): Promise<Report> {
  await loadDotEnv();
  const values = await readValues(process.env);
  const tracked = await readTrackedConfig();
  const names = namesFrom(tracked, values.get("WORKER_NAME"));
  const secrets = secretsOf(values);
  const { api, accountId } = await signIn(values.get("JURISDICTION"));
  const running = await readRunningWorker(api, accountId, names.worker);
  if (running === null) {
    return {
      origin: null,
      rows: [red("Worker", `there is no Worker ${names.worker} in the account: npm run deploy`)],
      secrets,
    };
  }
  const rows = await checkCloudflare({ api, accountId, names, tracked, values, running });
  const origin = running.vars.get("ORIGIN") ?? null;
  const operatorKey = values.get("OPERATOR_KEY");
  if (origin === null) {
    return { origin, rows: [...rows, red("ORIGIN", "the Worker has no address: npm run deploy")], secrets };
  }
  if (operatorKey === undefined) {
    const text = running.secretNames.has("OPERATOR_KEY")
      ? "the Worker has an OPERATOR_KEY and these settings do not: copy it here, or set a new one (openssl rand -hex 32) and deploy"
      : "OPERATOR_KEY is not set, so that the service tells nobody how it is set up: npm run deploy makes it";
    return { origin, rows: [...rows, red("Service", text)], secrets };
  }
  const domain = values.get("DOMAIN");
  const expected = {
    version: await readVersion(),
    origin: domain === undefined ? origin : `https://${domain}`,
    deployedAt: running.deployedAt,
  };
  return { origin, rows: [...rows, ...(await checkService({ origin, operatorKey }, expected, isLive))], secrets };
}

function print({ origin, rows, secrets }: Report, isJson: boolean): void {
  const [reds, yellows] = [countOf(rows, "red"), countOf(rows, "yellow")];
  const text = isJson
    ? JSON.stringify({ origin, red: reds, yellow: yellows, rows }, null, 2)
    : `${toTable(rows, { ...(process.stdout.isTTY && { columns: process.stdout.columns }), hasColors: process.stdout.isTTY })}\n\n${rows.length} checks of ${origin ?? "the account"}: ${reds} red, ${yellows} yellow`;
  console.log(withoutTexts(text, secrets));
  process.exitCode = reds > 0 ? 1 : 0;
}

const { values: flags } = parseArgs({
  options: {
    remote: { type: "boolean", default: false },
    live: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    port: { type: "string", default: "8787" },
    settle: { type: "string" },
    account: { type: "string" },
  },
});
try {
  if (flags.settle === undefined) {
    print(flags.remote ? await checkRemote(flags.live) : await checkLocal(flags.port, flags.live), flags.json);
  } else {
    const local = async () => ({ origin: `http://localhost:${flags.port}`, operatorKey: await sandboxKey() });
    await settleQuestions(flags.settle, flags.account, flags.remote ? await remoteAddress() : await local());
  }
} catch (error) {
  if (!(error instanceof DeployFailure || error instanceof ApiFailure)) {
    throw error;
  }
  const text = error instanceof DeployFailure ? `${error.message}; ${error.next}` : error.message;
  print(
    { origin: null, rows: [red("Cloudflare", text)], secrets: [process.env["CLOUDFLARE_API_TOKEN"] ?? ""] },
    flags.json,
  );
}

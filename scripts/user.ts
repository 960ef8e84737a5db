import { parseArgs } from "node:util";
import { KEY_DAYS_DEFAULT } from "#auth/index.ts";
import { RefusalError } from "#core/errors.ts";
import { OperatorError } from "./backup/installation.ts";
import { ApiFailure } from "./deploy/cloudflare.ts";
import { DeployFailure } from "./deploy/failure.ts";
import { COMMANDS, commandServices, UsageError } from "./user/commands.ts";
import { NotConfirmedError } from "./user/question.ts";
import { USAGES } from "./help/usages.ts";

const EXIT_CODES = { failed: 1, usage: 2, not_found: 3, not_confirmed: 4 } as const;

function parseCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        plan: { type: "string", default: "growth" },
        status: { type: "string", default: "trialing" },
        password: { type: "string" },
        name: { type: "string", default: "cli" },
        scopes: { type: "string", default: "all" },
        days: { type: "string", default: String(KEY_DAYS_DEFAULT) },
        remote: { type: "boolean", default: false },
        env: { type: "string" },
        "persist-to": { type: "string" },
        json: { type: "boolean", default: false },
        yes: { type: "boolean", default: false },
        now: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "wrong options");
  }
}

async function run(): Promise<void> {
  const { values, positionals } = parseCommandLine();
  const [name, ...args] = positionals;
  const command = COMMANDS.get(name);
  if (command === undefined) {
    throw new UsageError(name === undefined ? "say what to do" : `there is no command ${name}`);
  }
  // Loads the local runtime only when it is needed, because that takes seconds.
  const { openInstallation } = await import("./backup/open.ts");
  const installation = await openInstallation(values);
  try {
    const services = commandServices(installation.database);
    const { json, lines } = await command(services, args, values);
    await Promise.all(services.deferred);
    console.log(values.json ? JSON.stringify(json, null, 2) : lines.join("\n"));
  } finally {
    await installation.close();
  }
}

/** Explains an expected failure. Throws any other error, which is a bug, so that it is printed whole. */
function explain(error: unknown): { readonly code: keyof typeof EXIT_CODES; readonly message: string } {
  if (error instanceof UsageError) {
    return { code: "usage", message: error.message };
  }
  if (error instanceof NotConfirmedError) {
    return { code: "not_confirmed", message: error.message };
  }
  if (error instanceof RefusalError) {
    return { code: error.refusal.code === "not_found" ? "not_found" : "failed", message: error.message };
  }
  if (error instanceof OperatorError || error instanceof DeployFailure) {
    return { code: "failed", message: `${error.message}; ${error.next}` };
  }
  if (error instanceof ApiFailure) {
    return { code: "failed", message: error.message };
  }
  const root = rootOf(error);
  // The binding's own text, or the code that node:sqlite adds to its errors.
  if (/D1_ERROR|SQLITE/.test(root.message) || root.code === "ERR_SQLITE_ERROR") {
    return { code: "failed", message: `the database refused: ${root.message}` };
  }
  throw error;
}

/** Returns the first cause, because later errors may quote the statement together with the values. */
function rootOf(error: unknown): { readonly message: string; readonly code?: unknown } {
  return error instanceof Error ? (error.cause === undefined ? error : rootOf(error.cause)) : { message: "" };
}

try {
  await run();
} catch (error) {
  const { code, message } = explain(error);
  process.exitCode = EXIT_CODES[code];
  if (process.argv.includes("--json")) {
    console.error(JSON.stringify({ error: { code, message } }));
  } else {
    console.error(code === "usage" ? `${message}\n\n${USAGES.user}` : message);
  }
}

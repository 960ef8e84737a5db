import type { Facts, PlatformCheck } from "#operator/facts.ts";
import { red, type Row } from "./row.ts";

const TIMEOUT_MS = 60_000;

/** Where the service is, and the credential with which it answers. */
export interface ServiceAddress {
  readonly origin: string;
  readonly operatorKey: string;
}

/** What the service answered, or the row that says why it did not. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly row: Row };

const WHAT = "Service";

function refusalRow(origin: string, status: number): Row {
  switch (status) {
    case 401:
      return red(
        WHAT,
        `${origin} does not accept the operator's key: set OPERATOR_KEY anew (openssl rand -hex 32) and deploy`,
      );
    case 404:
      return red(WHAT, `${origin} runs a version without this check: npm run deploy`);
    case 429:
      return red(WHAT, `${origin} has had too many invalid credentials from your address: wait a minute`);
    default:
      return red(WHAT, `${origin} answered HTTP ${status}: its log says why (npx wrangler tail)`);
  }
}

export async function ask<T>(
  { origin, operatorKey }: ServiceAddress,
  method: "GET" | "POST",
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<T>> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${operatorKey}` },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return response.ok
      ? { ok: true, value: JSON.parse(text) as T }
      : { ok: false, row: refusalRow(origin, response.status) };
  } catch {
    return {
      ok: false,
      row: red(
        WHAT,
        `${origin} does not answer: start it (npm run dev), or look at its address and at npx wrangler tail`,
      ),
    };
  }
}

export const askFacts = (address: ServiceAddress): Promise<Answer<Facts>> => ask(address, "GET", "/operator/facts");

export async function askChecks(address: ServiceAddress): Promise<Answer<readonly PlatformCheck[]>> {
  const answer = await ask<{ checks: PlatformCheck[] }>(address, "POST", "/operator/platform-checks");
  return answer.ok ? { ok: true, value: answer.value.checks } : answer;
}

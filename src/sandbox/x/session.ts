import type { Sim } from "#sandbox/contract.ts";
import { bearer, liveToken } from "#sandbox/grants.ts";
import { missingScope, tooMany, unauthorized } from "./answers.ts";
import { PEOPLE, type Person } from "./people.ts";

/* Who calls, what they may, and how often: bearer check, scopes, rate windows. */

const WINDOW_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

export interface Session {
  readonly person: Person;
  /** Rate headers every answer carries. */
  readonly headers: Record<string, string>;
}

/** Takes one call from a window; what is left of it, and when it is full again. */
function spend(sim: Sim, name: string, limit: number, windowMs: number) {
  const now = sim.now();
  const kept = sim.store.get<{ resetAt: number; used: number }>(`rate:${name}`);
  const window = kept && kept.resetAt > now ? kept : { resetAt: now + windowMs, used: 0 };
  const allowed = window.used < limit;
  const used = window.used + Number(allowed);
  sim.store.put(`rate:${name}`, { resetAt: window.resetAt, used });
  return { allowed, limit, remaining: limit - used, reset: Math.ceil(window.resetAt / 1000) };
}

function headersOf(prefix: string, window: ReturnType<typeof spend>): Record<string, string> {
  return {
    [`${prefix}-limit`]: String(window.limit),
    [`${prefix}-remaining`]: String(window.remaining),
    [`${prefix}-reset`]: String(window.reset),
  };
}

export interface Gate {
  /** The endpoint's name; calls of one name share a window. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** Calls per person in 15 minutes. */
  readonly limit: number;
  /** Whether the publishing quota of the settings counts here. */
  readonly publishes?: boolean;
}

function withHeaders(answer: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) {
    answer.headers.set(name, value);
  }
  return answer;
}

/** Answers only for a live token that has the scopes, as often as the windows allow. */
export async function guarded(
  request: Request,
  sim: Sim,
  gate: Gate,
  handle: (session: Session) => Response | Promise<Response>,
): Promise<Response> {
  const held = liveToken(sim, bearer(request) ?? "", "access");
  const person = held && PEOPLE[held.login];
  if (!person) {
    return unauthorized();
  }
  const { quota } = sim.settings;
  const daily = gate.publishes && quota !== null ? quota : null;
  const short = spend(sim, `${person.id}:${gate.name}`, Math.max(gate.limit, daily ?? 0), WINDOW_MS);
  const headers = headersOf("x-rate-limit", short);
  if (!short.allowed) {
    return withHeaders(tooMany(), headers);
  }
  if (!gate.scopes.every((scope) => held.scopes.includes(scope))) {
    return withHeaders(missingScope(), headers);
  }
  if (daily !== null) {
    const long = spend(sim, `${person.id}:${gate.name}:day`, daily, DAY_MS);
    Object.assign(headers, headersOf("x-user-limit-24hour", long));
    if (!long.allowed) {
      return withHeaders(tooMany(), headers);
    }
  }
  return withHeaders(await handle({ person, headers }), headers);
}

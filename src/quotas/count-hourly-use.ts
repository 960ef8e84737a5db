import type { Context } from "#context.ts";
import { HOUR, SECOND } from "#core/clock.ts";
import type { LimitKey, PlanLimits } from "#core/plan.ts";
import { refuseQuota } from "#core/quota.ts";
import type { StatementResult } from "#db/batch.ts";
import { countUseStatement, hasRoomStatement, type HourlyUseRow, useStatement } from "./store.ts";

const LIMITS_PER_HOUR = {
  previews: { key: "previewsPerHour", what: "previews in an hour" },
  long_texts: { key: "textBytesPerHour", what: "bytes of long posts in an hour" },
  media_fetches: { key: "mediaFetchesPerHour", what: "files fetched in an hour" },
  media_fetches_of_host: { key: "mediaFetchesPerHostPerHour", what: "files fetched from one host in an hour" },
} as const satisfies Record<string, { key: LimitKey; what: string }>;

interface Use {
  readonly kind: keyof typeof LIMITS_PER_HOUR;
  /** The host, for limits that count each host separately. */
  readonly host?: string;
  readonly count: number;
}

type CountingContext = Pick<Context, "db" | "clock"> & { actor: { userId: string; limits: PlanLimits } };

export interface HourlyUse {
  /** The statements that count. The caller runs both in one batch, in this order, and passes the results to `check`. */
  readonly statements: readonly [D1PreparedStatement, D1PreparedStatement];
  /** Refuses with 429 if the call exceeds one of the limits. Nothing was counted then. */
  check(results: readonly (StatementResult | undefined)[]): void;
  /** For a transaction that must not be committed without being counted: they fail it if the call exceeds one of the limits. */
  readonly guardedStatements: readonly D1PreparedStatement[];
  /** Refuses with 429 after the transaction failed by a limit. */
  refuse(): Promise<never>;
}

/** Counts a call against several hourly limits: against all of them, or against none if one is reached. */
export function countHourlyUse({ db, clock, actor }: CountingContext, uses: readonly Use[]): HourlyUse {
  const now = clock.now();
  const hour = Math.floor(now / HOUR);
  const counters = uses.map(({ kind, host, count }) => ({
    name: host === undefined ? kind : `${kind}:${host}`,
    count,
    limit: actor.limits[LIMITS_PER_HOUR[kind].key],
    kind,
  }));
  const ofHour = { userId: actor.userId, hour, counters };
  const counted = countUseStatement(db, ofHour);
  const current = useStatement(db, { userId: actor.userId, hour, names: counters.map(({ name }) => name) });
  const refuseReached = (rows: readonly HourlyUseRow[]): never => {
    const usedOf = (name: string) => rows.find((row) => row.name === name)?.used ?? 0;
    const exceeded = counters.find(({ name, count, limit }) => usedOf(name) + count > limit);
    if (!exceeded) {
      throw new Error("a call was not counted although no limit is reached");
    }
    const { key, what } = LIMITS_PER_HOUR[exceeded.kind];
    const retryAfterSeconds = Math.ceil(((hour + 1) * HOUR - now) / SECOND);
    return refuseQuota({
      key,
      limit: exceeded.limit,
      used: usedOf(exceeded.name),
      what,
      nextStep: `try again in ${Math.ceil(retryAfterSeconds / 60)} minutes, when the next hour begins`,
      retryAfterSeconds,
    });
  };
  return {
    statements: [counted, current],
    check([answer, use]) {
      if ((answer?.results.length ?? 0) > 0 || counters.length === 0) {
        return;
      }
      refuseReached((use?.results ?? []) as readonly HourlyUseRow[]);
    },
    guardedStatements: [hasRoomStatement(db, ofHour), counted],
    async refuse() {
      return refuseReached((await current.all<HourlyUseRow>()).results);
    },
  };
}

import type { FC } from "hono/jsx";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { formatNumber } from "#dashboard/wording/counts-and-limits.ts";
import { formatBytes } from "#dashboard/wording/media-labels.ts";
import type { LimitUse, Period, PlatformOutcomes, Spend } from "#metrics/index.ts";

const MAX_CODES = 4;

function codesOf({ codes }: PlatformOutcomes): string {
  const named = codes.slice(0, MAX_CODES).map(({ code, count }) => `${code} (${formatNumber(count)})`);
  return [...named, ...(codes.length > MAX_CODES ? [`${codes.length - MAX_CODES} more`] : [])].join(", ");
}

/** A table of the outcomes of targets at each platform. */
export const PlatformsTable: FC<{ caption: string; period: Period }> = ({ caption, period: { platforms } }) =>
  platforms.length === 0 ? null : (
    <div class="table-scroll" tabindex={0} role="region" aria-label={caption}>
      <table class="figures">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {["Platform", "Published", "Not confirmed", "Failed", "Further tries", "Why"].map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {platforms.map((outcomes) => (
            <tr>
              <th scope="row">{PLATFORM_NAMES[outcomes.platform]}</th>
              {[outcomes.published, outcomes.unconfirmed, outcomes.failed, outcomes.retries].map((count) => (
                <td>{formatNumber(count)}</td>
              ))}
              <td class="words">{codesOf(outcomes) || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );

function amountOf({ label }: LimitUse, amount: number): string {
  return label === "database" ? formatBytes(amount) : formatNumber(amount);
}

/** A table of the limits of the whole installation and how much of each is used. */
export const LimitsTable: FC<{ limits: readonly LimitUse[] }> = ({ limits }) => (
  <div class="table-scroll" tabindex={0} role="region" aria-label="Limits of the installation">
    <table class="figures">
      <caption>Limits of the installation</caption>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Used</th>
          <th scope="col">Share</th>
          <th scope="col">Begins anew</th>
        </tr>
      </thead>
      <tbody>
        {limits.map((use) => (
          <tr>
            <th scope="row">{use.what}</th>
            <td>
              {use.limit === null
                ? `${amountOf(use, use.used)}, without a limit on this plan`
                : `${amountOf(use, use.used)} of ${amountOf(use, use.limit)}`}
            </td>
            <td>
              {use.limit === null ? "–" : `${Math.floor((use.used * 100) / use.limit)} %`}
              {use.isNear && <span class="tag blocked">Near</span>}
            </td>
            <td class="words">{use.timeZone === null ? "–" : `at midnight, ${use.timeZone.replaceAll("_", " ")}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

export const SpendList: FC<{ spend: readonly Spend[] }> = ({ spend }) => (
  <ul class="plain-list">
    {spend.map(({ platform, posts, withLink, dollars, terms }) => (
      <li>
        <strong>{`${PLATFORM_NAMES[platform]}: $${dollars.toFixed(2)}`}</strong>
        {` in 30 days for ${formatNumber(posts)} posts, ${formatNumber(withLink)} of them with a link, at $${terms.prices?.postUsd.toFixed(3) ?? ""} and $${terms.prices?.postWithLinkUsd.toFixed(3) ?? ""}. `}
        <span class="hint">
          An estimate: texts with “://” count as links. <a href={terms.source}>Prices</a>
          {`, read on ${terms.readOn}.`}
        </span>
      </li>
    ))}
  </ul>
);

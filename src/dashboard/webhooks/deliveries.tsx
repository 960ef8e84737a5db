import type { FC } from "hono/jsx";
import {
  DELIVERY_STATUSES,
  type DeliveryPage,
  type DeliveryStatus,
  type DeliverySummary,
} from "#core/webhook-sender.ts";
import { countOf } from "#dashboard/wording/counts-and-limits.ts";
import { type Display, formatExactly } from "#dashboard/wording/display.ts";
import { DELIVERY_LABELS, DELIVERY_TAGS, describeTry, visibleResponse } from "./wording.ts";

/** Shows a receiver's response as plain text, because a stranger wrote it. */
export const Response: FC<{ response: string }> = ({ response }) =>
  response === "" ? null : (
    <pre class="response" tabindex={0} role="region" aria-label="What the receiver answered">
      <code>
        <bdi>{visibleResponse(response)}</bdi>
      </code>
    </pre>
  );

const DeliveryItem: FC<{ path: string; delivery: DeliverySummary; display: Display }> = (props) => {
  const { path, delivery, display } = props;
  const { id, eventId, eventType, status, createdAt, tries, nextTryAt } = delivery;
  const last = tries.at(-1);
  return (
    <li class="item">
      <div class="item-header">
        <h3>
          <a href={`${path}/deliveries/${id}`}>
            <code>{eventType}</code>
          </a>
        </h3>
        <span class={DELIVERY_TAGS[status]}>{DELIVERY_LABELS[status]}</span>
      </div>
      <p class="item-meta">
        <span>{formatExactly(display, createdAt)}</span>
        {last === undefined ? (
          <span>Not tried yet</span>
        ) : (
          <span>{`${countOf(tries.length, "try", "tries")}, the last: ${describeTry(last)}`}</span>
        )}
        {nextTryAt !== null && <span>{`Next try ${formatExactly(display, nextTryAt)}`}</span>}
        <code>{eventId}</code>
      </p>
    </li>
  );
};

const FILTERS: readonly (DeliveryStatus | null)[] = [null, ...DELIVERY_STATUSES];

function deliveriesHref(path: string, filter: DeliveryStatus | null, before: string | null = null): string {
  const query = new URLSearchParams({
    ...(filter !== null && { status: filter }),
    ...(before !== null && { before }),
  }).toString();
  return `${path}${query === "" ? "" : `?${query}`}#deliveries`;
}

/** Lists one page of deliveries, newest first, with a filter by status. */
export const DeliveryList: FC<{
  path: string;
  page: DeliveryPage;
  filter: DeliveryStatus | null;
  isFirstPage: boolean;
  display: Display;
}> = ({ path, page, filter, isFirstPage, display }) => (
  <>
    <nav class="tabs" aria-label="Deliveries by status">
      <ul>
        {FILTERS.map((status) => (
          <li>
            <a href={deliveriesHref(path, status)} aria-current={status === filter ? "page" : undefined}>
              {status === null ? "All" : DELIVERY_LABELS[status]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {page.deliveries.length === 0 ? (
      <p class="empty-state">{filter === null ? "Nothing was sent yet." : "None with this status."}</p>
    ) : (
      <ul class="items">
        {page.deliveries.map((delivery) => (
          <DeliveryItem path={path} delivery={delivery} display={display} />
        ))}
      </ul>
    )}
    {(page.next !== null || !isFirstPage) && (
      <p class="item-actions">
        {!isFirstPage && (
          <a class="button secondary" href={deliveriesHref(path, filter)}>
            Newest
          </a>
        )}
        {page.next !== null && (
          <a class="button secondary" href={deliveriesHref(path, filter, page.next)}>
            Older
          </a>
        )}
      </p>
    )}
  </>
);

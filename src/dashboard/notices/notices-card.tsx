import type { FC } from "hono/jsx";
import { type Display, formatDateTime } from "#dashboard/display.ts";
import { describeNotice, type Notice } from "#notices/index.ts";

const MAX_SHOWN = 5;

/** The newest notices for the overview; nothing when there is none. */
export const NoticesCard: FC<{ notices: readonly Notice[]; display: Display }> = ({ notices, display }) =>
  notices.length === 0 ? null : (
    <section class="card" aria-labelledby="notices">
      <h2 id="notices">Notices</h2>
      <ul class="attention">
        {notices.slice(0, MAX_SHOWN).map((notice) => {
          const { title, action } = describeNotice(notice, (instant) => formatDateTime(display, instant));
          return (
            <li class="attention-item">
              <div>
                <bdi>{title}</bdi> <small>{formatDateTime(display, notice.at)}</small>
              </div>
              <a href={notice.path} aria-label={`${action}: ${title}`}>
                {action}
              </a>
            </li>
          );
        })}
      </ul>
      <p>
        <a href="/notices">{notices.length > MAX_SHOWN ? "All notices" : "What to do"}</a>
      </p>
    </section>
  );

import type { FC } from "hono/jsx";

export interface ReplayTime {
  readonly date: string;
  readonly time: string;
}

/** The form that sends all events after a time again. Receivers recognize repeated events by `webhook-id`. */
export const ReplayForm: FC<{ path: string; time: ReplayTime; zone: string }> = ({ path, time, zone }) => (
  <details class="confirm">
    <summary>Send again from a time…</summary>
    <form method="post" action={`${path}/replay`}>
      <p>
        Every event after this time is sent again, oldest first. Your server knows by <code>webhook-id</code> which ones
        it has already.
      </p>
      <div class="replay-time">
        <div class="field">
          <label for="replay-date">Day</label>
          <input id="replay-date" type="date" name="date" value={time.date} required />
        </div>
        <div class="field">
          <label for="replay-time">Time</label>
          <input id="replay-time" type="time" name="time" value={time.time} required />
        </div>
      </div>
      <p class="hint">{`In ${zone}, at most 30 days ago.`}</p>
      <button>Send again</button>
    </form>
  </details>
);

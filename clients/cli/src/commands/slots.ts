import type { ScheduleSlot } from "@almanac/client";
import type { Command } from "commander";
import { CommandError } from "../exit-codes.ts";
import type { Run } from "../program.ts";
import { notConfirmed, type Session } from "../session.ts";
import { parseSlots, WEEKDAYS } from "../slot-words.ts";

interface Slots {
  readonly time_zone: string;
  readonly slots: readonly ScheduleSlot[];
}

function showSlots(session: Session, { time_zone: zone, slots }: Slots, write?: (text: string) => void): void {
  const { terminal } = session;
  if (slots.length === 0) {
    (write ?? ((text) => terminal.line(text)))("No slots.");
    return;
  }
  const days = WEEKDAYS.map((name, weekday) => ({
    name,
    times: slots.filter((slot) => slot.weekday === weekday).map(({ time }) => time),
  }));
  terminal.table(
    days.filter(({ times }) => times.length > 0),
    [
      { title: "Day", of: ({ name }) => name },
      { title: `Times (${zone})`, of: ({ times }) => times.join(", "), shrinks: true },
    ],
    write,
  );
}

function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 100) {
    throw new CommandError("usage", "unclear_count", "--count takes a whole number from 1 to 100");
  }
  return count;
}

export function addSlots(program: Command, run: Run): void {
  const slots = program.command("slots").description("the times of the week at which the workspace likes to post");
  slots
    .command("show", { isDefault: true })
    .description("show all of them")
    .action(
      run(async (session) => {
        const found = await (await session.almanac()).getScheduleSlots();
        showSlots(session, found);
        session.terminal.json(found);
      }),
    );
  slots
    .command("next")
    .description("show the next ones that are free")
    .option("-c, --count <number>", "how many", "5")
    .action(
      run<{ count: string }>(async (session, { count }) => {
        const { terminal, clock } = session;
        const query = { count: toCount(count) };
        const found = await (await session.almanac()).listNextSlots({ query });
        for (const { scheduled_at: at } of found.next_slots) {
          terminal.line(`${clock.full(at)}, ${clock.distance(at)}`);
        }
        if (found.next_slots.length === 0) {
          terminal.line("None is free, or there are no slots: `almanac slots set` sets them.");
        }
        terminal.json(found);
      }),
    );
  slots
    .command("set")
    .argument("[slot...]", 'all of them: "mon 9:30" "tue,thu 18:00" "weekdays 12:00" "daily 9:00", in your time zone')
    .option("--none", "remove all")
    .description("replace all of them; no post moves")
    .action(
      run<{ none?: boolean }, [texts: string[]]>(async (session, { none }, texts) => {
        if (none ? texts.length > 0 : texts.length === 0) {
          throw new CommandError(
            "usage",
            "slots_missing",
            'write all slots, such as "mon 9:30" "thu 18:00", or --none',
          );
        }
        session.requireDecision();
        const { terminal, clock } = session;
        // Written twice, one is meant.
        const wanted = new Map(texts.flatMap(parseSlots).map((slot) => [`${slot.weekday} ${slot.time}`, slot]));
        const almanac = await session.almanac();
        const note = (text: string) => terminal.note(text);
        const before = await almanac.getScheduleSlots();
        note("Now");
        showSlots(session, before, note);
        const body = { time_zone: clock.zone, slots: [...wanted.values()] };
        note("Then");
        showSlots(session, body, note);
        if (!(await session.asks("Replace them? Posts stay where they are."))) {
          throw notConfirmed();
        }
        const set = await almanac.setScheduleSlots({ body, signal: session.signal });
        showSlots(session, set);
        terminal.json(set);
      }),
    );
}

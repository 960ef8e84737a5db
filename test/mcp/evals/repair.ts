import type { Arguments } from "./bad-calls.ts";

/*
 * A model without any knowledge of this service: it reads the lines of a refusal and changes its arguments as they say. It sees
 * neither the metadata nor the structured answer.
 */

interface Line {
  readonly param: string;
  readonly sentence: string;
}

function readLines(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    const [, param = "", sentence = ""] = /^- (\S+): (.*) \[\w+\]$/.exec(line) ?? [];
    return param === "" ? [] : [{ param, sentence }];
  });
}

const keysOf = (param: string): string[] => param.match(/[^.[\]]+/g) ?? [];

interface Slot {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** The object or list that holds the value, and its key there. */
function slotOf(args: Arguments, param: string): Slot {
  const keys = keysOf(param);
  const key = keys.pop() ?? "";
  const holder = keys.reduce<Record<string, unknown>>(
    (value, name) => (value[name] ?? {}) as Record<string, unknown>,
    args,
  );
  return { holder, key };
}

function remove({ holder, key }: Slot): void {
  if (Array.isArray(holder)) {
    holder.splice(Number(key), 1);
  } else {
    delete holder[key];
  }
}

/** The argument of the whole call in which a value lies: `account_ids` of `account_ids[0]`. */
const rootOf = (param: string): string => keysOf(param)[0] ?? "";

const afterTomorrow = (nowInWords: string): string =>
  new Date(Date.parse(`${nowInWords} UTC`) + 2 * 86_400_000).toISOString().slice(0, 10);

type Rule = readonly [pattern: RegExp, apply: (args: Arguments, param: string, found: RegExpExecArray) => void];

/** The first that matches a line is applied. */
const RULES: readonly Rule[] = [
  [
    /it is called (\w+)/,
    (args, param, [, name = ""]) => {
      const { holder, key } = slotOf(args, param);
      const value = holder[key];
      delete holder[key];
      const isEmpty = Array.isArray(value) && value.length === 0;
      if (!isEmpty) {
        holder[name] = name.endsWith("s") && !Array.isArray(value) ? [value] : value;
      }
    },
  ],
  [/it takes/, (args, param) => remove(slotOf(args, param))],
  [/is called (\w+) here/, (args, param, [, name]) => setValue(args, param, name)],
  [/write (?:it like )?(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})/, (args, param, [, time]) => setValue(args, param, time)],
  [
    /it is now \w+, (\d+ \w+ \d{4})/,
    (args, param, [, date = ""]) => setValue(args, param, `${afterTomorrow(date)}T10:00`),
  ],
  [/the limit is (\S+Z)/, (args, param, [, time]) => setValue(args, param, time)],
  [/not as a text of JSON/, (args, param) => setValue(args, param, JSON.parse(String(valueOf(args, param))))],
  [/must be an array/, (args, param) => setValue(args, param, [valueOf(args, param)])],
  [/must be an object/, (args, param) => setValue(args, param, {})],
  [/(?:such as|one of:?) ([\w/]+)/, (args, param, [, value]) => setValue(args, param, value)],
  [/must be at most (\d+)/, (args, param, [, limit]) => setValue(args, param, Number(limit))],
  [
    /choose from ([0-9a-f-]{36})/,
    (args, param, [, id]) => {
      delete args[rootOf(param)];
      args["account_ids"] = [id];
    },
  ],
  [
    /(\d[\d,]*) [a-zA-Z -]*(?:characters|bytes)|the limit is (\d+)/,
    (args, param, [, limit, other]) =>
      setValue(args, param, String(valueOf(args, param)).slice(0, Number(limit ?? other))),
  ],
  [/not both|more than once/, (args, param) => remove(slotOf(args, param))],
  [/`?confirm: true`?|is required/, (args, param) => param === "confirm" && setValue(args, param, true)],
  [/https:/, (args, param) => remove(slotOf(args, param))],
];

function valueOf(args: Arguments, param: string): unknown {
  const { holder, key } = slotOf(args, param);
  return holder[key];
}

function setValue(args: Arguments, param: string, value: unknown): void {
  const { holder, key } = slotOf(args, param);
  holder[key] = value;
}

/** The arguments as the text of the refusal asks for them. */
export function repair(text: string, args: Arguments): Arguments {
  const repaired: Arguments = structuredClone(args);
  for (const { param, sentence } of readLines(text)) {
    for (const [pattern, apply] of RULES) {
      const found = pattern.exec(sentence);
      if (found) {
        apply(repaired, param, found);
        break;
      }
    }
  }
  return repaired;
}

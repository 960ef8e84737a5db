import type { Command } from "commander";

/** The shells that `almanac completion` has a script for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What can follow in one place of a command line. */
interface Place {
  /** The commands before: `webhooks listen`; empty at the begin. */
  readonly path: string;
  readonly words: readonly Word[];
  readonly options: readonly OptionWord[];
}

interface Word {
  readonly name: string;
  readonly description: string;
}

interface OptionWord extends Word {
  readonly short: string | undefined;
  readonly takesValue: boolean;
  readonly isFile: boolean;
  readonly values: readonly string[];
}

/** Values that the service knows, for the options and arguments that take them. */
export const PLATFORM_WORDS = [
  "instagram",
  "tiktok",
  "youtube",
  "linkedin",
  "x",
  "facebook",
  "pinterest",
  "threads",
  "bluesky",
  "mastodon",
];

const PLATFORM_OPTIONS = new Set(["--to", "--platform"]);
const FILE_OPTIONS = new Set(["--media"]);
const FILE_COMMANDS = new Set(["media", "bulk"]);

function placeOf(command: Command, path: readonly string[]): Place {
  const own = command.commands.filter((child) => child.name() !== "help");
  const [argument] = command.registeredArguments;
  const values = argument?.argChoices ?? (command.name() === "connect" ? PLATFORM_WORDS : []);
  return {
    path: path.join(" "),
    words: [
      ...own.map((child) => ({ name: child.name(), description: child.description() })),
      ...values.map((name) => ({ name, description: "" })),
    ],
    options: command.options.map((option) => {
      const name = option.long ?? "";
      return {
        name,
        short: option.short,
        description: option.description,
        takesValue: option.required || option.optional,
        isFile: FILE_OPTIONS.has(name),
        values: option.argChoices ?? (PLATFORM_OPTIONS.has(name) ? PLATFORM_WORDS : []),
      };
    }),
  };
}

function placesOf(command: Command, path: readonly string[] = []): Place[] {
  return [placeOf(command, path), ...command.commands.flatMap((child) => placesOf(child, [...path, child.name()]))];
}

const inSingleQuotes = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function bash(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => inSingleQuotes(path));
  const cases = places.map(
    ({ path, words, options }) =>
      `    ${inSingleQuotes(path)}) words=${inSingleQuotes([...words.map(({ name }) => name), ...options.map(({ name }) => name)].join(" "))} ;;`,
  );
  const taking = places.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => ({ ...option, path: inSingleQuotes(path) })),
  );
  // Only an option that takes other values elsewhere needs its command.
  const hasOthers = ({ name, values: own }: (typeof taking)[number]) =>
    taking.some((option) => option.name === name && option.values.join() !== own.join());
  const values = new Set(
    taking.map((option) => {
      const { name, short, isFile, values: allowed } = option;
      const path = hasOthers(option) ? option.path : "*";
      const patterns = [name, ...(short === undefined ? [] : [short])].map((flag) => `${path}" ${flag}"`).join("|");
      const words = isFile ? "-f" : `-W ${inSingleQuotes(allowed.join(" "))}`;
      return `    ${patterns}) COMPREPLY=($(compgen ${words} -- "$current")); return ;;`;
    }),
  );
  return `# bash completion of almanac: add  source <(almanac completion bash)  to ~/.bashrc
_almanac() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" candidate word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    candidate="\${path:+$path }$word"
    case " ${paths.join(" ").replaceAll("'", "|").replaceAll("| |", "|")} " in
      *"|$candidate|"*) path="$candidate" ;;
    esac
  done
  case "$path $previous" in
${[...values].join("\n")}
  esac
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
${[...FILE_COMMANDS].map((name) => `  [[ "$path" == ${name} && "$current" != -* ]] && COMPREPLY=($(compgen -f -- "$current"))`).join("\n")}
  return 0
}
complete -o filenames -F _almanac almanac
`;
}

const inZshSpec = (text: string) => text.replaceAll(/[[\]:\\]/g, "\\$&");

function zsh(places: readonly Place[]): string {
  const functionName = (path: string) => `_almanac${path === "" ? "" : `_${path.replaceAll(" ", "_")}`}`;
  const functions = places.map(({ path, words, options }) => {
    const specs = options.flatMap(({ name, short, description, takesValue, isFile, values }) => {
      const action = isFile
        ? ":file:_files"
        : values.length > 0
          ? `:value:(${values.join(" ")})`
          : takesValue
            ? ":value:"
            : "";
      return [name, ...(short === undefined ? [] : [short])].map((flag) =>
        inSingleQuotes(`*${flag}[${inZshSpec(description)}]${action}`),
      );
    });
    const isGroup = places.some((other) => other.path.startsWith(path === "" ? "" : `${path} `) && other.path !== path);
    const described = words.map(({ name, description }) =>
      inSingleQuotes(description === "" ? name : `${name}:${inZshSpec(description)}`),
    );
    const rest = isGroup
      ? [`'1:command:->command'`, `'*::argument:->argument'`]
      : FILE_COMMANDS.has(path)
        ? [`'*:file:_files'`]
        : words.length > 0
          ? [inSingleQuotes(`1:value:(${words.map(({ name }) => name).join(" ")})`)]
          : [];
    const children = places.filter(
      (other) => other.path !== path && other.path.split(" ").slice(0, -1).join(" ") === path && other.path !== "",
    );
    return `${functionName(path)}() {
  local line state
  _arguments -C ${[...specs, ...rest].join(" \\\n    ")}
${
  isGroup
    ? `  case "$state" in
    command) local -a commands=(${described.join(" ")}); _describe command commands ;;
    argument)
      case "$line[1]" in
${children.map((child) => `        ${child.path.split(" ").at(-1)}) ${functionName(child.path)} ;;`).join("\n")}
      esac ;;
  esac
`
    : ""
}}`;
  });
  return `#compdef almanac
# zsh completion of almanac: add  source <(almanac completion zsh)  to ~/.zshrc, after compinit
${functions.join("\n")}
if [[ "\${funcstack[1]}" == _almanac ]]; then
  _almanac "$@"
elif (( \${+functions[compdef]} )); then
  compdef _almanac almanac
fi
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const parts = path.split(" ").filter((part) => part !== "");
    // `almanac drafts edit` has the word of `almanac edit` too.
    const groups = places.flatMap((other) =>
      parts.length === 1 && other.path.endsWith(` ${parts[0]}`) ? other.path.split(" ").slice(0, 1) : [],
    );
    const seen = [
      ...parts.map((part) => `__fish_seen_subcommand_from ${part}`),
      ...groups.map((group) => `not __fish_seen_subcommand_from ${group}`),
    ];
    const names = words.map(({ name }) => name);
    const notDeeper = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(" ")}`] : [];
    const root = path === "" ? ["__fish_use_subcommand"] : [...seen, ...notDeeper];
    const condition = inSingleQuotes(root.join("; and "));
    return [
      ...words.map(
        ({ name, description }) =>
          `complete -c almanac -f -n ${condition} -a ${inSingleQuotes(name)}${description === "" ? "" : ` -d ${inSingleQuotes(description)}`}`,
      ),
      ...options.map(({ name, short, description, takesValue, isFile, values }) =>
        [
          "complete -c almanac",
          `-n ${inSingleQuotes((path === "" ? ["__fish_use_subcommand"] : seen).join("; and "))}`,
          `-l ${name.slice(2)}`,
          ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
          ...(isFile ? ["-r -F"] : takesValue ? ["-x"] : ["-f"]),
          ...(values.length > 0 ? [`-a ${inSingleQuotes(values.join(" "))}`] : []),
          `-d ${inSingleQuotes(description)}`,
        ].join(" "),
      ),
    ];
  });
  return `# fish completion of almanac: save as ~/.config/fish/completions/almanac.fish
complete -c almanac -f
${lines.join("\n")}
${[...FILE_COMMANDS].map((name) => `complete -c almanac -n '__fish_seen_subcommand_from ${name}' -F`).join("\n")}
`;
}

const WRITERS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };

/** The completion of every command, option and closed list of values, as a script of the shell. */
export function completionScript(program: Command, shell: Shell): string {
  return WRITERS[shell](placesOf(program));
}

import { defineConfig, type OxlintOverride } from "oxlint";

/*
 * The law of imports. A room may draw from the rooms named beside it and from its own folder (`./file.ts`), from nothing
 * else; thin rooms never meet, adapters never meet. Reading this table is the fastest tour of the house.
 */
const ROOMS = {
  core: [],
  db: ["core"],
  platforms: ["core"],
  workspaces: ["core", "db", "context.ts"],
  auth: ["core", "db", "config.ts", "context.ts", "platforms"],
  accounts: ["core", "db", "config.ts", "context.ts", "platforms"],
  media: ["core", "db", "config.ts", "context.ts"],
  posting: ["core", "db", "config.ts", "context.ts", "platforms", "accounts", "media"],
  api: ["core", "db", "config.ts", "context.ts", "platforms", "workspaces", "auth", "accounts", "media", "posting"],
  dashboard: [
    "core",
    "db",
    "config.ts",
    "context.ts",
    "platforms",
    "workspaces",
    "auth",
    "accounts",
    "media",
    "posting",
  ],
  publisher: ["core", "db", "config.ts", "context.ts", "platforms", "accounts", "media", "posting"],
  sync: ["core", "db", "config.ts", "context.ts", "platforms", "auth", "accounts", "media", "posting"],
  sandbox: ["core", "config.ts", "context.ts", "db", "auth", "accounts", "posting", "media"],
} as const satisfies Record<string, readonly string[]>;

const NO_CLIMBING = { group: ["../*", "../**"], message: "Write #room/file.ts: a line says where it draws from." };

function law(room: keyof typeof ROOMS): OxlintOverride {
  const open: readonly string[] = ROOMS[room];
  const shut = [...Object.keys(ROOMS), "config.ts", "context.ts", "index.ts", "index.sandbox.ts"].filter(
    (other) => other !== room && !open.includes(other),
  );
  return {
    files: [`src/${room}/**/*.{ts,tsx}`],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            NO_CLIMBING,
            {
              group: shut.map((other) => (other.includes(".") ? `#${other}` : `#${other}/**`)),
              message: `${room} draws from: ${open.join(", ") || "nothing"}. Move the line down, or hand the thing in.`,
            },
          ],
        },
      ],
    },
  };
}

/** Adapters never meet: what two of them share is a file beside the contract. */
const adaptersApart: OxlintOverride = {
  files: ["src/platforms/*/**/*.ts"],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          NO_CLIMBING,
          {
            group: ["#db/**", "#config.ts", "#context.ts", "#platforms/*/**"],
            message: "An adapter knows core and the contract.",
          },
        ],
      },
    ],
  },
};

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  rules: {
    curly: "error",
    eqeqeq: "error",
    "no-console": "error",
    "no-var": "error",
    "prefer-const": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/ban-ts-comment": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    // Platforms count code points, and spreading a string is how one does that.
    "typescript/no-misused-spread": "off",
    "typescript/consistent-type-imports": "error",
    "unicorn/no-array-for-each": "error",
    "import/no-cycle": "error",
    // Awaiting in order is often the point here: a journal entry before the call it announces.
    "no-await-in-loop": "off",
    // `__proto__`-safe spreads and readable defaults matter more than one allocation.
    "oxc/no-map-spread": "off",
    "oxc/no-async-endpoint-handlers": "off",
    "import/no-unassigned-import": "off",
    "unicorn/no-array-sort": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/no-unnecessary-type-parameters": "off",
    "typescript/consistent-return": "off",
    "vitest/require-mock-type-parameters": "off",
    // The second argument names what was compared.
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    "unicorn/consistent-function-scoping": "off",
    "no-shadow": "off",
    "no-underscore-dangle": "off",
  },
  overrides: [
    ...(Object.keys(ROOMS) as (keyof typeof ROOMS)[]).map(law),
    adaptersApart,
    { files: ["src/core/log.ts", "scripts/**"], rules: { "no-console": "off" } },
    { files: ["test/env.d.ts"], rules: { "typescript/consistent-type-imports": "off" } },
    {
      files: ["test/**"],
      rules: { "typescript/no-non-null-assertion": "off", "vitest/expect-expect": "off" },
    },
  ],
  ignorePatterns: ["migrations/**", "openapi.json"],
});

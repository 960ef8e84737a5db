/** What `--help` says of the commands with more options than their line in docs/commands.md tells, by the name of the npm script. */
export const USAGES = {
  backup: `Copies the database and the files of the service into a folder on this machine.

  npm run backup -- --env sandbox           the service that \`npm run dev\` runs
  npm run backup -- --remote                the deployed service

  --to FOLDER        where the backups are kept; "backups" by default
  --persist-to DIR   the state of the local service, if not .wrangler/state

Each backup is a folder of its own with a manifest.json; files that an earlier one has are not fetched again. The service goes on
meanwhile; a deployed database answers nobody while it is exported. TOKEN_KEYS is not in a backup: keep it elsewhere.`,
  deploy: `Creates an Almanac service in your Cloudflare account, or brings it to the version of this folder.

  npm run deploy
  npm run deploy -- --new-origin    the address changes, and that is meant
  npm run deploy -- --rotate-keys   the next of the two steps to another key that seals logins
  npm run deploy -- --drop-vars     variables that the settings no longer name are meant to go
  npm run deploy -- --overwrite     what was changed in Cloudflare's dashboard or by a script is meant to be replaced

Settings come from .env.production and from environment variables ALMANAC_*; docs/guide/operate.md lists them. It can be run again at
any time: it finds what there is by name, creates what is missing and loses nothing.`,
  doctor: `Says what is right and what is wrong with an Almanac service, and what to do about it.

  npm run doctor                 the service of npm run dev on this machine
  npm run doctor -- --remote     the one that npm run deploy made: the same settings and login at Cloudflare
  npm run doctor -- --live       also shows the credentials to each platform: one call each that changes nothing
  npm run doctor -- --json       the same for programs and for issues; it holds no secret

  npm run doctor -- --settle <platform> --account <account id>
                                 makes the calls that settle open questions of docs/platforms/live-calls.md with one of your own
                                 accounts; asks before it writes anything, and removes what it wrote where the platform can.
                                 ALMANAC_KEY is an API key of your own user. With --remote at the deployed service

--port selects another port of this machine. The exit code is 1 when something is red.`,
  recount: `Computes the day counters (post_days) from the posts and corrects those that are wrong.

  npm run recount -- [--remote | --local] [--env sandbox] [--persist-to DIR]

The service may keep running, and the command can be repeated. --remote selects the deployed database instead of the local one (--env
sandbox: that of \`npm run dev\`; --persist-to: its folder).`,
  restore: `Puts the database back to an earlier time, and merges into it what was done since: nothing is published twice.

  npm run restore -- --to 2026-11-23T10:00:00Z --remote    with Time Travel, which reaches 30 days back (7 on the free plan)
  npm run restore -- --from backups/20261123T100000Z --remote
  npm run restore -- --to TIME --env sandbox               on this machine: the newest backup that is not younger
  npm run restore -- --from FOLDER --env sandbox

  --discard-present  what was done since is wrong too and is not merged
  --in FOLDER        where the backups are, and where the state before the restore is kept; "backups" by default
  --yes              does not ask
  --persist-to DIR   the state of the local service, if not .wrangler/state

Publishing stops until it is done. Broken off, run it again with the same words: it goes on where it stopped.`,
  service: `Shows whether publishing is held after a restore of the database and whether the database is nearly full, and releases it; for the operator.

  npm run service -- status
  npm run service -- release

--remote selects the deployed database instead of the local one (--env sandbox: that of \`npm run dev\`; --persist-to: its folder).
release lets the cron compare every post that could still be published with its object, then allows publishing again.`,
  "upgrade:check": `Runs the tests of the last release on the tables of this folder: what it did, it must still do after the
migrations, because they are applied before the upload and a rollback brings back code alone.

  npm run upgrade:check                         the release of scripts/upgrade/last-release.ts
  npm run upgrade:check -- --from <commit>      another commit
  npm run upgrade:check -- test/planning        only these of its tests`,
  user: `Creates and changes the users of an Almanac service, for its operator.

  npm run user -- add <email> [--plan growth] [--status trialing] [--password -]
  npm run user -- list
  npm run user -- plan <email> <starter|growth|scale> [active|trialing|past_due|canceled]
  npm run user -- reset-password <email> [--password -]
  npm run user -- disable <email>
  npm run user -- enable <email>
  npm run user -- role <email> <operator|user>
  npm run user -- key <email> [--name cli] [--scopes all|posts:read,…] [--days 90|never]
  npm run user -- keys <email>
  npm run user -- revoke-keys <email> [key id]
  npm run user -- delete <email> [--now]

--remote selects the deployed database instead of the local one (--env sandbox: that of \`npm run dev\`; --persist-to: its folder).
--json prints the result, or the error, as JSON. reset-password, disable, delete and revoke-keys ask before they do anything;
--yes answers, and without a terminal they are refused without it. Without --password a password is generated and printed; "-" reads it
from standard input. A deleted user is erased after a week, in which signing in and taking it back is possible; with --now at once.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such user or key, 4 not confirmed.`,
} as const;

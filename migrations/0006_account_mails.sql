CREATE TABLE `account_mails` (
	`email_hash` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`email_hash`, `at`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `account_mails_at` ON `account_mails` (`at`);
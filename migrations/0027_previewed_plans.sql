CREATE TABLE `previewed_plans` (
	`expiry_minute` integer NOT NULL,
	`token_hash` text NOT NULL,
	`plan` text NOT NULL,
	PRIMARY KEY(`expiry_minute`, `token_hash`)
) WITHOUT ROWID;

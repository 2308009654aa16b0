import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import type { Keyring } from '#server/keyring.ts'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { createAddressChecks } from './check-address.ts'
import { createServerChecks, createDatabaseChecks } from './check-database.ts'
import { createDiskCheck } from './check-machine.ts'
import { createMailChecks } from './check-mail.ts'
import { createPowerBiChecks } from './check-power-bi.ts'
import { createConfigChecks, createSettingChecks } from './check-settings.ts'
import { signDoctorToken } from './doctor-token.ts'
import type { Check } from './run-checks.ts'

interface CheckOptions {
  config: Config
  environment: NodeJS.ProcessEnv
  keyring: Keyring
  /** Undefined if it cannot be opened. */
  db: Db | undefined
  /** Undefined without credentials: the demo's Power BI runs in its own process. */
  powerBi: PowerBi | undefined
  mailTo?: string | undefined
  /** Whether the portal checks itself. */
  isSelfCheck?: boolean
}

export function createPortalChecks({ config, environment, keyring, db, powerBi, ...options }: CheckOptions): Check[] {
  return [
    ...createConfigChecks(environment, config),
    ...createServerChecks(config),
    ...(db ? createDatabaseChecks({ db }, config) : []),
    ...createAddressChecks({ publicUrl: config.publicUrl, token: signDoctorToken(keyring), ...options }),
    ...createMailChecks(config, options.mailTo),
    ...(powerBi ? createPowerBiChecks(config, powerBi, db) : []),
    createDiskCheck(config.dataDir),
    ...createSettingChecks(environment),
  ]
}

import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import type { Keyring } from '#server/keyring.ts'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { listAddressChecks } from './check-address.ts'
import { listDatabaseChecks, listServerChecks } from './check-database.ts'
import { createDiskCheck } from './check-machine.ts'
import { listMailChecks } from './check-mail.ts'
import { listMicrosoftChecks } from './check-microsoft.ts'
import { listNetworkChecks } from './check-network.ts'
import { listPowerBiChecks } from './check-power-bi.ts'
import { listConfigChecks, listSettingChecks } from './check-settings.ts'
import { signDoctorToken } from './doctor-token.ts'
import type { Check } from './run-checks.ts'

interface Options {
  config: Config
  environment: NodeJS.ProcessEnv
  keyring: Keyring
  /** Undefined if it cannot be opened. */
  db: Db | undefined
  /** Undefined without credentials: the demo's Power BI runs in its own process. */
  powerBi: PowerBi | undefined
  mailTo?: string | undefined
  /** Whether the portal checks itself. */
  isSelf?: boolean
}

export function listPortalChecks({ config, environment, keyring, db, powerBi, ...rest }: Options): Check[] {
  return [
    ...listConfigChecks(environment, config),
    ...listNetworkChecks(environment, config),
    ...listServerChecks(config),
    ...(db ? listDatabaseChecks({ db, keyring }, config) : []),
    ...listAddressChecks({ publicUrl: config.publicUrl, token: signDoctorToken(keyring), ...rest }),
    ...listMailChecks(config, { mailTo: rest.mailTo, db }),
    ...(powerBi ? listPowerBiChecks(config, powerBi, db) : []),
    ...listMicrosoftChecks(config, db),
    createDiskCheck(config.dataDir, !config.databaseUrl),
    ...listSettingChecks(environment),
  ]
}

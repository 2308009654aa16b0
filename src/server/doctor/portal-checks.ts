import type { Config } from '#server/config.ts'
import type { Db } from '#server/database/schema.ts'
import type { Keyring } from '#server/keyring.ts'
import type { PowerBi } from '#server/power-bi/power-bi.ts'
import { addressChecks } from './check-address.ts'
import { serverChecks, storeChecks } from './check-database.ts'
import { diskCheck } from './check-machine.ts'
import { mailChecks } from './check-mail.ts'
import { powerBiChecks } from './check-power-bi.ts'
import { doubtChecks, settingChecks } from './check-settings.ts'
import { signDoctorToken } from './doctor-token.ts'
import type { Check } from './examine.ts'

interface Patient {
  config: Config
  environment: NodeJS.ProcessEnv
  keyring: Keyring
  /** Undefined if it cannot be opened. */
  db: Db | undefined
  /** Undefined without credentials: the demo's Power BI runs in its own process. */
  powerBi: PowerBi | undefined
  mailTo?: string | undefined
  /** Whether the portal checks itself. */
  isInside?: boolean
}

export function portalChecks({ config, environment, keyring, db, powerBi, ...asked }: Patient): Check[] {
  return [
    ...doubtChecks(environment, config),
    ...serverChecks(config),
    ...(db ? storeChecks({ db }, config) : []),
    ...addressChecks({ publicUrl: config.publicUrl, token: signDoctorToken(keyring), ...asked }),
    ...mailChecks(config, asked.mailTo),
    ...(powerBi ? powerBiChecks(config, powerBi, db) : []),
    diskCheck(config.dataDir),
    ...settingChecks(environment),
  ]
}

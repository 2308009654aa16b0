// `npm run mail -- retry`, on the configured database.

import { retryMails } from './mail/outbox.ts'
import { runOperatorCommand, withDatabase } from './operator-command.ts'
import { formatCommand } from './version.ts'

const USAGE = `Uso: ${formatCommand('mail')} retry   tenta agora os e-mails que esperam por outra tentativa, e os que ficaram sem entrega`

await runOperatorCommand(USAGE, async (config, args) => {
  if (args.join(' ') !== 'retry') return undefined
  const count = await withDatabase(config, ({ db }) => retryMails(db))
  if (count === 0)
    return 'Nenhum e-mail espera mais de um minuto por outra tentativa, e nenhum ficou sem entrega.'
  return count === 1 ? '1 e-mail será enviado agora.' : `${count} e-mails serão enviados agora.`
})

import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { LISTS, NO_ENTITLEMENTS } from '#contract/entitlement-lists.ts'
import type { InvitationResult, InvitedLine } from '#contract/invitations.ts'
import { checkEndDay, MAX_IMPORT_BYTES, MAX_INVITED } from '#contract/user-rules.ts'
import { callApi } from '#web/http/api.ts'
import { portalSettings } from '#web/http/portal-settings.ts'
import { isConflict, isDefiniteRefusal } from '#web/http/send-request.ts'
import { retryCall } from '#web/session/retry-call.ts'
import { Button, buttonClasses, textLinkClasses } from '#web/ui/button.tsx'
import { RadioGroup } from '#web/ui/choices.tsx'
import { classNames } from '#web/ui/class-names.ts'
import { TextArea } from '#web/ui/text-field.tsx'
import { showToast } from '#web/ui/toast.tsx'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { toFailureToast, useSubmit } from '#web/ui/use-submit.ts'
import { setLastEntitlements } from './access-templates.ts'
import { isSame, ValidUntil } from './entitlements.tsx'
import { downloadFile } from './export-data.ts'
import { EntitlementLists } from './fill-from.tsx'
import { formatPeopleCount, InvitePreview } from './invite-preview.tsx'
import { formatCount } from './selection.ts'
import { refreshInvitations } from './user-queries.ts'

const SOURCES = [
  { value: 'addresses', label: 'Por e-mail', hint: 'Um endereço ou vários, colados' },
  { value: 'file', label: 'Por arquivo', hint: 'Uma planilha salva como CSV' },
] as const
type Source = (typeof SOURCES)[number]['value']

const maxPeople = MAX_INVITED.toLocaleString('pt-BR')

const listErrors = (lines: readonly InvitedLine[]) => lines.filter(({ outcome }) => outcome === 'error')

/** Invites people by e-mail or CSV file; a dry run shows the outcome of each line first. */
export function InviteForm() {
  const titleId = useId()
  const [source, setSource] = useState<Source>('addresses')
  const [addresses, setAddresses] = useState('')
  const [file, setFile] = useState<ChosenFile>()
  const [ticked, setTicked] = useState(NO_ENTITLEMENTS)
  const [validUntil, setValidUntil] = useState('')
  const [error, setError] = useState<string>()
  const [dryRun, setDryRun] = useState<InvitationResult>()
  const preview = useRef<HTMLDivElement>(null)
  const wanted = {
    defaults: ticked,
    ...(validUntil && { valid_until: validUntil }),
    ...(source === 'addresses' ? { addresses } : { file: file?.base64 ?? '' }),
  }
  const endError = checkEndDay(validUntil, Date.now())
  /** Any change of the input invalidates the preview. */
  const withReset =
    <V,>(set: (value: V) => void) =>
    (value: V) => {
      set(value)
      setDryRun(undefined)
      setError(undefined)
    }
  useEffect(() => {
    if (dryRun) preview.current?.focus()
  }, [dryRun])

  const check = useSubmit({
    send: () => callApi('POST /api/invitations', { query: { dryRun: true }, body: wanted }),
    onDone: setDryRun,
    onFailed(failure) {
      const [field] = toFieldErrors(failure)
      setError(field?.message)
      if (!field) showToast(toFailureToast('Não foi possível conferir a lista', failure))
    },
  })
  const invite = useSubmit({
    send: ({ fingerprint, lines }: InvitationResult) =>
      retryCall('POST /api/invitations', {
        body: { ...wanted, fingerprint, ...(listErrors(lines).length > 0 && { skipErrors: true }) },
      }),
    async onDone({ invited, lines }) {
      const left = listErrors(lines)
      if (!isSame(ticked, NO_ENTITLEMENTS)) setLastEntitlements(ticked)
      showToast({
        kind: 'success',
        title: `${formatPeopleCount(invited)} ${invited === 1 ? 'convidada' : 'convidadas'}`,
        ...(left.length > 0 && {
          description: `${formatCount(left.length, 'linha ficou', 'linhas ficaram')} de fora.`,
        }),
      })
      setDryRun(undefined)
      // What is left is corrected in its place.
      setAddresses(left.map(({ email }) => email).join('\n'))
      setFile(undefined)
      await refreshInvitations()
    },
    async onFailed(failure) {
      const title = isDefiniteRefusal(failure) ? 'Ninguém foi convidado' : 'Não foi possível convidar'
      showToast(toFailureToast(title, failure))
      if (!isConflict(failure)) return
      setDryRun(undefined)
      void refreshInvitations()
      await check.submit()
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (source === 'addresses' && !addresses.trim()) setError('Informe pelo menos um e-mail')
    else if (source === 'file' && !file) setError('Escolha um arquivo')
    else if (!endError) void check.submit()
  }
  return (
    <section
      aria-labelledby={titleId}
      className="rounded-xl border border-line bg-surface p-4 shadow-xs sm:p-6"
    >
      <h2 id={titleId} className="sr-only">
        Novo convite
      </h2>
      <form noValidate onSubmit={onSubmit} aria-labelledby={titleId} className="space-y-6">
        <RadioGroup
          label="Quem convidar"
          options={SOURCES}
          value={source}
          onChange={withReset(setSource)}
          className="sm:grid-cols-2"
        />
        {source === 'addresses' ? (
          <TextArea
            label="E-mails"
            rows={4}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder={`ana.souza@${portalSettings.companyEmailDomain}`}
            value={addresses}
            error={error}
            hint={`Do jeito que vierem: um por linha ou separados por vírgula, também “Ana Souza <ana@…>”. Até ${maxPeople} de uma vez.`}
            onChange={({ target }) => withReset(setAddresses)(target.value)}
          />
        ) : (
          <FileField file={file} error={error} onChoose={withReset(setFile)} onRefused={setError} />
        )}
        <fieldset className="space-y-4">
          <legend className="mb-2 font-medium text-sm">
            {source === 'addresses'
              ? 'Acesso de quem é convidado'
              : 'Acesso de quem não tem nenhum no arquivo'}
          </legend>
          <EntitlementLists
            lists={LISTS}
            ticked={ticked}
            held={NO_ENTITLEMENTS}
            onChange={withReset(setTicked)}
          />
          <ValidUntil value={validUntil} error={endError} onChange={withReset(setValidUntil)} />
        </fieldset>
        <Button type="submit" variant={dryRun ? 'secondary' : 'primary'} isBusy={check.isBusy}>
          {dryRun ? 'Conferir de novo' : 'Conferir'}
        </Button>
      </form>
      <div ref={preview} tabIndex={-1} className="outline-none">
        {dryRun && (
          <InvitePreview
            result={dryRun}
            validUntil={validUntil}
            isBusy={invite.isBusy}
            onConfirm={() => void invite.submit(dryRun)}
            onApproved={() => void check.submit()}
          />
        )}
      </div>
    </section>
  )
}

interface ChosenFile {
  name: string
  base64: string
}

interface FileFieldProps {
  file: ChosenFile | undefined
  error: string | undefined
  onChoose: (file: ChosenFile) => void
  onRefused: (message: string) => void
}

/** A CSV file, read when chosen: a spreadsheet program may overwrite it before the submit. */
function FileField({ file, error, onChoose, onRefused }: FileFieldProps) {
  const id = useId()
  const read = async (chosen: File | undefined) => {
    if (!chosen) return
    if (chosen.size > MAX_IMPORT_BYTES)
      return onRefused(
        `O arquivo passa de ${MAX_IMPORT_BYTES / 1024} KB, o máximo. Divida a lista em mais arquivos.`,
      )
    if (chosen.size === 0) return onRefused('O arquivo está vazio. Escolha um com uma pessoa por linha.')
    try {
      onChoose({ name: chosen.name, base64: await readBase64(chosen) })
    } catch {
      onRefused('O arquivo não pôde ser lido. Feche-o no Excel e escolha-o de novo.')
    }
  }
  return (
    <div className="space-y-1.5">
      <p className="font-medium text-sm">Arquivo CSV</p>
      <div className="flex flex-wrap items-center gap-3">
        <input
          id={id}
          type="file"
          accept=".csv,.txt,text/csv"
          aria-describedby={classNames(`${id}-name ${id}-hint`, error && `${id}-error`)}
          aria-invalid={error ? true : undefined}
          className="peer sr-only"
          onChange={({ target }) => {
            void read(target.files?.[0])
            // Lets the same file be chosen again after a correction.
            target.value = ''
          }}
        />
        <label
          htmlFor={id}
          className={classNames(
            buttonClasses('secondary'),
            'cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-brand-strong peer-focus-visible:outline-offset-2',
          )}
        >
          {file ? 'Escolher outro arquivo' : 'Escolher arquivo'}
        </label>
        <p id={`${id}-name`} aria-live="polite" className="min-w-0 break-all text-sm">
          {file?.name ?? <span className="text-muted">Nenhum escolhido</span>}
        </p>
      </div>
      {error && (
        <p role="alert" id={`${id}-error`} className="text-danger text-sm">
          {error}
        </p>
      )}
      <div id={`${id}-hint`} className="text-muted text-sm">
        Colunas e-mail, nome, áreas, marcas e estados; só a primeira é obrigatória. Várias marcas na mesma
        célula vão separadas por vírgula. Até {maxPeople} pessoas e {MAX_IMPORT_BYTES / 1024} KB.{' '}
        <button type="button" className={textLinkClasses} onClick={downloadExample}>
          Baixar um exemplo
        </button>
      </div>
    </div>
  )
}

function downloadExample(): void {
  const lines = [
    'E-mail;Nome;Áreas;Marcas;Estados',
    `ana.souza@${portalSettings.companyEmailDomain};Ana Souza;Vendas, CRM;FIAT;RJ`,
  ]
  downloadFile('convites.csv', `\ufeff${lines.join('\r\n')}\r\n`, 'text/csv')
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

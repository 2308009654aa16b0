import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'

/** Creates a self-signed certificate for 127.0.0.1 and localhost by openssl. Callers remove the folder. */
export function createCertificate(): { folder: string; certificate: string; key: string } {
  const folder = mkdtempSync('/tmp/patio-certificate-')
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
  chmodSync(folder, 0o755)
  chmodSync(certificate, 0o644)
  chmodSync(key, 0o600)
  return { folder, certificate, key }
}

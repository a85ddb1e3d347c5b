// Sends the smallest upload, signed. With the argument "check" it compares its signatures with the vectors instead.
import CryptoKit
import Foundation

let baseURL = "http://localhost:8080"
let publicKey = "pub_…"
let secretKey = "sec_…"
let body = """
{
  "user": {},
  "device": {
    "id": "d-1",
    "properties": {
      "sdkVersionNormalized": 5002,
      "osVersionNormalized": 17005000,
      "appVersionNormalized": 3002001,
      "appInstallVersionNormalized": 3002001,
      "platform": "iOS",
      "deviceModel": "phone-15-2",
      "vendorIdentifier": "",
      "installDatetime": 1788998990
    }
  },
  "sessions": [
    { "id": "s-1", "number": { "global": 1, "version": 1 }, "startDate": "2026-09-10T02:10:00+02:00" }
  ]
}
"""

func hex<Bytes: Sequence>(_ bytes: Bytes) -> String where Bytes.Element == UInt8 {
    bytes.map { String(format: "%02x", $0) }.joined()
}

func signature(secretKey: String, publicKey: String, timestamp: String, nonce: String, body: Data) -> String {
    let bodyHash = hex(SHA256.hash(data: body))
    let signed = ["v1", "POST", "/api/v1/session", publicKey, timestamp, nonce, bodyHash].joined(separator: "\n")
    let key = SymmetricKey(data: Data(secretKey.utf8))
    return "v1=" + hex(HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key))
}

func upload() async throws {
    let bytes = Data(body.utf8)
    let timestamp = String(Int(Date().timeIntervalSince1970))  // by the corrected clock
    let nonce = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        .replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
    let signed = signature(
        secretKey: secretKey, publicKey: publicKey, timestamp: timestamp, nonce: nonce, body: bytes)
    var request = URLRequest(url: URL(string: baseURL + "/api/v1/session")!)
    request.httpMethod = "POST"
    request.httpBody = bytes
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(publicKey, forHTTPHeaderField: "X-Api-Key")
    request.setValue(timestamp, forHTTPHeaderField: "X-Timestamp")
    request.setValue(nonce, forHTTPHeaderField: "X-Nonce")
    request.setValue(signed, forHTTPHeaderField: "X-Signature")
    let (content, response) = try await URLSession.shared.data(for: request)
    print((response as! HTTPURLResponse).statusCode, String(decoding: content, as: UTF8.self))
}

// The vectors, as `npm run samples` writes them: secret key, public key, timestamp, nonce, body in base64, signature.
let vectors: [[String]] = [
    ["sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=ee3c096b8c6b8904c4eff7e5fed7afd0552a5707210a0e6fae958dbf03e55ca3"],
    ["sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyAidXNlciI6IHt9LCAiZGV2aWNlIjoge30sICJzZXNzaW9ucyI6IFtdIH0K", "v1=93f05f0d8f0bf16bc4e22a6dc8e606e21afb55c5cadba8aaa180ea96bad960c3"],
    ["sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7ImlkIjoiWm/DqyDwn5qAIn0sImRldmljZSI6e30sInNlc3Npb25zIjpbXX0=", "v1=97a18fdc813350310ef4d5b246365b82e8ab3c1074a8588b7af4e2891b29d90d"],
    ["sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "", "v1=f98f332c571e4ef5553193499221ecb406c564d753271c4a0c306b639962e73d"],
    ["sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "H4sIAAAAAAACA6tWKi1OLVKyqq7VUUpJLctMToWwi1OLizPz84qVrKJjawHT3nZHJQAAAA==", "v1=2b011acc1480f67d2f4e129b01f5064fbcbe92156f4e211716ec0b052333053b"],
    ["sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==", "v1=3dfa7808927125bedc9a927f93f39786896c16fb961e87a661fe9f56ac281b4a"],
    ["c2VjcmV0LWtleQ==", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=aafe97a6ff25e566f8980ca549cc6b371d9820d0b96791cd20edb40850ce29dd"],
    ["sec_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "pk_test_7c2a", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=0eba26de5a191a90a66186625c13d665252ac3de9f9fcd0ebf41fe1cbab98ed2"],
    ["sec_0OaBcDeFgHiJkLmNoPqRsTuVwXyZ1234", "pub_9ZyXwVuTsRqPoNmLkJiHgFeDcBa43210", "1789000000", "AAECAwQFBgcICQoLDA0ODw", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=e29fc82ae878de8b57de7a60f03f16c6d744a2e8ee96ae7a0edc701f380438ad"],
    ["sk_test_4f1b6a0c9d2e", "pk_test_7c2a", "1789000301", "-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_Az09Az09Az09Az09Az09Az09Az09Az09", "eyJ1c2VyIjp7fSwiZGV2aWNlIjp7fSwic2Vzc2lvbnMiOltdfQ==", "v1=c31a1fe7f322468e52e4ad02461ec028d16b7dc3b8b944fe1013c0c486e75c25"],
]
// The vectors end.

func check() {
    for vector in vectors {
        let signed = signature(
            secretKey: vector[0], publicKey: vector[1], timestamp: vector[2], nonce: vector[3],
            body: Data(base64Encoded: vector[4])!)
        precondition(signed == vector[5], vector[5])
    }
    print("\(vectors.count) signatures equal the vectors")
}

if CommandLine.arguments.contains("check") { check() } else { try await upload() }

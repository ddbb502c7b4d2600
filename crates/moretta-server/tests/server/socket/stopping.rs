//! The server ends when it is told to.

use crate::support::Server;
use std::io::Write;
use std::net::TcpStream;

#[test]
fn who_is_connected_is_let_go_and_nobody_new_is_let_in() {
    let server = Server::new();
    let mut net = server.listen();
    let mut kept = net.connect();
    let asked = "GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    kept.write_all(asked.as_bytes()).expect("sent");
    let mut byte = [0];
    std::io::Read::read_exact(&mut kept, &mut byte).expect("an answer");
    net.end();
    let mut rest = Vec::new();
    let _ = std::io::Read::read_to_end(&mut kept, &mut rest);
    assert!(String::from_utf8_lossy(&rest).contains("well"));
    assert!(TcpStream::connect(net.address).is_err());
    assert!(net.stopper.is_stopped());
}
